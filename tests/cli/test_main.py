"""What all commands share: help, exit codes, errors in one line, options, warnings, progress."""

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest
from commands import (
    MODULE,
    Terminal,
    X,
    alpha_of,
    assert_refused,
    feature_rows,
    run,
    table,
)

import specsel
from specsel import __main__, datasets, qalpha
from specsel.cli import common, tables, terminal
from specsel.cli import main as cli

DATA = datasets.example()
COMMANDS = {
    "select": (),
    "path": ("--max-size", "3"),
    "stable": ("--matrix", "correlation", "--n-boot", "100", "--retain", "0.05"),
}


class TestRefusals:
    def test_files_that_cannot_be_read(self, capsys, saved, tmp_path, monkeypatch):
        for name in ("no.csv", "no.npy", "no/no.csv"):
            path = tmp_path / name
            assert_refused(run(capsys, "select", path), f"specsel: {path}: No such file")
        assert_refused(run(capsys, "select", tmp_path), f"{tmp_path}: is a directory")

        def refuse(path, *args, **kwargs):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("builtins.open", refuse)
        assert_refused(run(capsys, "select", saved), f"specsel: {saved}: Permission denied")

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            ("nonsense", "nonsense"),
            ("selct", "did you mean 'select'?"),
            ("select --method pca", "'pca'"),
            ("select --method qalfa", "did you mean 'qalpha'?"),
            ("select --methd qalpha", "did you mean '--method'?"),
            ("path --matrix corelation", "did you mean 'correlation'?"),
            ("select -k 2.5", "argument -k: '2.5': must be a whole number or auto"),
            ("stable --n-boot 2.5", "argument --n-boot: '2.5': must be a whole number or auto"),
            ("stable --n-boot 3", "specsel: --n-boot 3: must be"),
            ("select -k 0", "-k 0"),
            ("select -k 41", "-k 41"),
            ("select --tol nan", "--tol nan"),
            ("select --tol -1", "specsel: --tol -1.0: must be"),
            ("select --max-iter 0", "--max-iter 0"),
            ("select --init random --seed -1", "--seed -1: must be at least 0"),
            ("select --top 0", "--top 0"),
            ("select --method alignment --features 99", "specsel: --features 99: must be"),
            ("path --max-size 99", "specsel: --max-size 99: must be"),
            ("select a.csv b.csv", "b.csv"),
            ("select --unknown", "--unknown"),
            ("select --out", "--out"),
        ],
    )
    def test_bad_arguments(self, capsys, arguments, part):
        assert_refused(run(capsys, *arguments.split()), part)

    @pytest.mark.parametrize("command", COMMANDS)
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ("--plot p.gif", "--plot p.gif: must end in .png, .svg or .pdf"),
            ("--plot no/p.png", "--plot no/p.png: is not a file in an existing folder"),
            ("--out {}/no/a.csv", "--out {}/no/a.csv: is not a file in an existing folder"),
            ("--out {}", "--out {}: is not a file in an existing folder"),
            ("--report {}/run.pdf", "--report {}/run.pdf: must end in .html or .htm"),
            ("--report a.html --out a.html", "--report a.html: is the file of --out"),
            ("--out a.svg --plot ./../{0.name}/a.svg", "a.svg: is the file of --out"),
            ("--out a.xlsx", "--out a.xlsx: must end in .csv, .tsv, .json or .parquet"),
            ("--out a.npy", "--out a.npy: must end in .csv, .tsv, .json or .parquet"),
            ("--out a.h5ad", "--out a.h5ad: only select --out of an .h5ad FILE writes .h5ad"),
            ("--drop a", "--drop: needs FILE"),
            ("--target a", "--target: needs FILE"),
        ],
    )
    def test_bad_files(self, capsys, tmp_path, monkeypatch, command, options, message):
        monkeypatch.chdir(tmp_path)
        if (command, options) == ("select", "--target a"):
            options += " --method supervised"
        result = run(capsys, command, *options.format(tmp_path).split())
        assert_refused(result, message.format(tmp_path))

    @pytest.mark.parametrize("option", ["--out", "--plot"])
    def test_what_is_read_is_not_written(self, capsys, saved, option):
        path = saved.rename(saved.with_suffix(".png"))
        before = path.read_bytes()
        assert_refused(run(capsys, "select", path, option, path), "is a file to be read")
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("--plot", "p.png: needs matplotlib: pip install 'specsel[plot]'"),
            ("--out", "p.parquet: needs pyarrow: pip install 'specsel[files]'"),
        ],
    )
    def test_packages_that_are_missing(self, capsys, tmp_path, monkeypatch, option, message):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        path = tmp_path / message.partition(":")[0]
        assert_refused(run(capsys, "select", option, path), message)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
    def test_a_full_disk_is_named(self, capsys, tmp_path):
        path = tmp_path / "picture.png"
        path.symlink_to("/dev/full")
        code, _, err = run(capsys, "select", "--plot", path)
        assert (code, err) == (2, f"specsel: {path}: No space left on device\n")


class TestColumns:
    @pytest.fixture
    def people(self, tmp_path):
        """Features, and before them a name and after them a class of every sample."""
        path = tmp_path / "data.csv"
        columns = np.union1d(DATA.relevant, np.arange(8))
        lines = [",".join(["who", *[DATA.names[i] for i in columns], "kind"])]
        for i, row in enumerate(DATA.X[:, columns].round(4).tolist()):
            lines.append(",".join([f"s{i}", *map(str, row), "pqr"[DATA.y[i]]]))
        path.write_text("\n".join(lines) + "\n")
        return path

    @pytest.mark.parametrize("command", COMMANDS)
    def test_columns_are_left_out(self, capsys, people, command):
        refused = run(capsys, command, people, *COMMANDS[command])
        assert_refused(refused, f"line 2: 's0' is not a number; {tables.NO_NUMBERS}\n")
        for drop in (["--drop", "who, kind"], ["--drop", "who", "--drop", "kind"]):
            arguments = (command, people, *drop, "--json", *COMMANDS[command])
            code, out, err = run(capsys, *arguments)
            assert (code, err) == (0, "")
            assert json.loads(out)["data"] == str(people)
            assert "signal_6" in out
            assert "kind" not in out
            assert "who" not in out

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("", []),
            (" a , b,", ["a", "b"]),
            ('"a, b", c', ["a, b", "c"]),
            ('c, "a, b"', ["c", "a, b"]),
            ('5" pipe', ['5" pipe']),
        ],
    )
    def test_commas_divide_names_that_are_not_in_quotes(self, text, names):
        assert common.listed([text]) == names
        assert common.listed([common.joined(names)]) == names

    @pytest.mark.parametrize("names", ['"gene 1', '"gene 1" x,gene 2'])
    def test_quotes_that_do_not_match(self, capsys, saved, names):
        message = f"{names}: a name that begins with a quote must end with it"
        assert_refused(run(capsys, "select", saved, "--drop", names), message)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_picture_is_drawn(capsys, tmp_path, command, suffix):
    path = tmp_path / f"picture{suffix}"
    code, _, err = run(capsys, command, "--plot", path, *COMMANDS[command])
    assert (code, err) == (0, "")
    assert path.read_bytes().startswith(
        {".png": b"\x89PNG", ".svg": b"<?xml"}.get(suffix, b"%PDF")
    )
    assert path.stat().st_size > 5000


class TestWarnings:
    def test_letters_that_a_font_lacks(self, capsys, write, tmp_path):
        values = np.random.default_rng(0).standard_normal((9, 3))
        path, plot = write("data.csv", table(values, ["日本", "語", "c"])), tmp_path / "p.png"
        code, _, err = run(capsys, "select", path, "-k", "1", "--plot", plot)
        assert code == 0
        assert err == f"specsel: warning: --plot {plot}: its font lacks letters of names\n"

    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_constant_column_warns_in_one_line(self, capsys, write, form):
        data = np.column_stack([X, np.full(len(X), 7.0)])
        code, out, err = run(capsys, "select", write("data.csv", table(data)), *form)
        assert code == 0
        assert err.startswith("specsel: warning: 1 of 13 feature")
        assert "constant" in err
        assert err.count("\n") == 1
        assert out

    def test_not_converged(self, capsys, saved, tmp_path):
        out = tmp_path / "ranking.csv"
        code, text, err = run(capsys, "select", saved, "--max-iter", 1, "--out", out)
        assert code == 1
        assert err.startswith("specsel: warning: not converged")
        assert err.count("\n") == 1
        assert len(feature_rows(text)) == 12
        assert len(out.read_text().splitlines()) == 13
        code, text, _ = run(capsys, "select", saved, "--max-iter", 1, "--json")
        assert (code, json.loads(text)["converged"]) == (1, False)

    def test_advice_names_options(self, capsys, write):
        rows = "".join(f"{i % 7},{i * i % 5},{i % 2}\n" for i in range(30))
        path = write("data.csv", f"a,b,kind\n{rows}")
        err = run(capsys, "select", path, "--method", "weighting", "--target", "kind")[2]
        assert "give -k, or take more features" in err
        values = np.random.default_rng(0).standard_normal((30, 5)) * [1, 1, 1, 1, 1e9]
        err = run(capsys, "select", write("units.npy", values), "--method", "alignment")[2]
        assert "add --standardise if units differ" in err

    def test_once_after_work_that_did_not_fail(self, capsys):
        with terminal.warnings_in_lines(str.upper):
            for _ in range(2):
                warnings.warn("few\nsamples", stacklevel=1)
            assert capsys.readouterr().err == ""
        assert capsys.readouterr().err == "specsel: warning: FEW SAMPLES\n"
        with pytest.raises(ZeroDivisionError), terminal.warnings_in_lines():
            warnings.warn("few samples", stacklevel=1) or 1 / 0
        assert capsys.readouterr().err == ""


def process(source):
    command = [sys.executable, "-c", textwrap.dedent(source)]
    return subprocess.run(command, capture_output=True, text=True)


class TestProcess:
    def test_no_command_prints_the_help(self, capsys):
        code, out, err = run(capsys)
        assert (code, err) == (2, "")
        assert "select" in out
        assert run(capsys, "--version") == (0, f"specsel {specsel.__version__}\n", "")

    def test_help_loads_no_solver(self):
        source = """
            import sys
            from specsel.cli.main import main
            main(["--help"])
            print(sys.modules)
        """
        done = process(source)
        assert done.returncode == 0
        assert "'numba'" not in done.stdout

    @pytest.mark.parametrize("command", [*COMMANDS, "reproduce"])
    def test_examples_in_the_help_are_commands(self, command):
        lines = cli.COMMANDS[command].epilog.splitlines()
        lines = [line.strip() for line in lines if line.startswith("  specsel ")]
        assert lines
        for line in lines:
            arguments = shlex.split(line)[1:]
            cli.parser(arguments).parse_args(arguments)

    def test_interrupt(self, capsys, monkeypatch):
        def interrupt(X, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(qalpha, "solve", interrupt)
        monkeypatch.setattr("sys.argv", ["specsel", "select"])
        assert (__main__.main(), *capsys.readouterr()) == (130, "", "specsel: interrupted\n")

    def test_interrupt_of_an_import(self):
        source = """
            import sys
            from importlib.abc import MetaPathFinder

            class Interrupt(MetaPathFinder):
                def find_spec(self, name, path, target=None):
                    if name == "numpy":
                        raise KeyboardInterrupt

            sys.meta_path.insert(0, Interrupt())
            from specsel.__main__ import main
            raise SystemExit(main())
        """
        done = process(source)
        assert (done.returncode, done.stdout) == (130, "")
        assert done.stderr == "specsel: interrupted\n"

    def test_module_runs(self, saved):
        done = subprocess.run([*MODULE, "select", str(saved), "--json"], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        alpha = alpha_of(json.loads(done.stdout))
        np.testing.assert_array_equal(alpha, qalpha.solve(X, "auto").alpha)


class TestProgress:
    def test_a_terminal_shows_one_line_and_erases_it(self, saved, monkeypatch, capsys):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        assert cli.main(["select", str(saved), "--permutations", "0"]) == 0
        text = screen.getvalue().split("\r")
        begun = [line.startswith("working") for line in text].index(True)
        text = [line for line in text[begun + 1 :] if not line.rstrip().endswith(" s)")]
        *shown, erased, end = text
        history = qalpha.solve(X, "auto").history
        lines = [line.rstrip().partition(", pass ")[0] for line in shown]
        assert [*dict.fromkeys(line for line in lines if line.startswith("iteration"))] == [
            f"iteration {i}, objective {value:.6g}" for i, value in enumerate(history, 1)
        ]
        assert {len(line) for line in (*shown, erased)} == {terminal.PROGRESS_WIDTH}
        assert erased.strip() == end == ""
        assert "iteration 1," not in capsys.readouterr().out
        assert "reading" not in screen.getvalue()  # which took less than two seconds

    def test_an_error_comes_after_it_is_erased(self, saved, monkeypatch):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        assert cli.main(["select", str(saved), "-k", "99"]) == 2
        assert screen.getvalue().split("\r")[-1].startswith("specsel: -k 99")

    def test_long_work_says_how_long_the_rest_takes(self, monkeypatch):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with terminal.progress("{} of {}".format, "counting", counted=True) as report:
            time.sleep(2.1)
            report(1, 4)
        assert re.search(r"\r1 of 4, \d+ s left +\r", screen.getvalue())

    @pytest.mark.parametrize(
        ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (600, "10 min"), (9000, "2.5 h")]
    )
    def test_durations(self, seconds, text):
        assert terminal.duration(seconds) == text
