"""The process: help, exit codes, errors in one line, warnings, progress and interrupts."""

import json
import subprocess
import sys
import textwrap

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
from specsel import (
    __main__,
    qalpha,
)
from specsel.cli import main as cli
from specsel.cli.terminal import PROGRESS_WIDTH


class TestRefusals:
    def test_missing_file(self, capsys, tmp_path):
        for name in ("no.csv", "no.npy", "no/no.csv"):
            path = tmp_path / name
            assert_refused(run(capsys, "select", path), f"specsel: {path}: No such file")

    def test_directory(self, capsys, tmp_path):
        assert_refused(run(capsys, "select", tmp_path), f"{tmp_path}: is a directory")

    def test_unreadable_file(self, capsys, saved, monkeypatch):
        def refuse(path, *args, **kwargs):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("builtins.open", refuse)
        assert_refused(run(capsys, "select", saved), f"specsel: {saved}: Permission denied")

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            (["nonsense"], "nonsense"),
            (["select", "--method", "pca"], "'pca'"),
            (["select", "-k", "x"], "'x'"),
            (["select", "-k", "0"], "-k 0"),
            (["select", "-k", "41"], "-k 41"),
            (["select", "--tol", "nan"], "--tol nan"),
            (["select", "--max-iter", "0"], "--max-iter 0"),
            (["select", "--init", "random", "--seed", "-1"], "--seed -1"),
            (["select", "--top", "0"], "--top 0"),
            (["select", "--top", "-3"], "--top -3"),
            (["select", "a.csv", "b.csv"], "b.csv"),
            (["select", "--unknown"], "--unknown"),
            (["select", "--out"], "--out"),
        ],
    )
    def test_bad_arguments(self, capsys, arguments, part):
        assert_refused(run(capsys, *arguments), part)


class TestWarnings:
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
        assert code == 1
        assert json.loads(text)["converged"] is False


class TestProcess:
    def test_no_command_prints_the_help(self, capsys):
        code, out, err = run(capsys)
        assert code == 2
        assert err == ""
        assert "select" in out

    def test_version(self, capsys):
        assert run(capsys, "--version") == (0, f"specsel {specsel.__version__}\n", "")

    def test_help_loads_no_solver(self):
        source = """
            import sys
            from specsel.cli.main import main
            main(["--help"])
            print(sys.modules)
        """
        command = [sys.executable, "-c", textwrap.dedent(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0
        assert "'numba'" not in done.stdout

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
        command = [sys.executable, "-c", textwrap.dedent(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (130, "")
        assert done.stderr == "specsel: interrupted\n"

    def test_module_runs(self, saved):
        done = subprocess.run([*MODULE, "select", str(saved), "--json"], capture_output=True)
        assert done.returncode == 0
        assert done.stderr == b""
        np.testing.assert_array_equal(
            alpha_of(json.loads(done.stdout)), qalpha.solve(X, "auto").alpha
        )


class TestProgress:
    def test_a_terminal_shows_one_line_and_erases_it(self, saved, monkeypatch, capsys):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main(["select", str(saved), "--permutations", "0"]) == 0
        text = terminal.getvalue().split("\r")
        begun = [line.startswith("working") for line in text].index(True)
        text = [line for line in text[begun + 1 :] if not line.rstrip().endswith(" s)")]
        *shown, erased, end = text
        history = qalpha.solve(X, "auto").history
        told = [line.rstrip().partition(", pass ") for line in shown]
        assert [*dict.fromkeys(line for line, *_ in told if line.startswith("iteration"))] == [
            f"iteration {i}, objective {value:.6g}" for i, value in enumerate(history, 1)
        ]
        assert {len(line) for line in (*shown, erased)} == {PROGRESS_WIDTH}
        assert erased.strip() == end == ""
        assert "iteration 1," not in capsys.readouterr().out

    def test_an_error_comes_after_it_is_erased(self, saved, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main(["select", str(saved), "-k", "99"]) == 2
        assert terminal.getvalue().split("\r")[-1].startswith("specsel: -k 99")


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["selct"], "select"),
        (["select", "--methd", "qalpha"], "--method"),
        (["select", "--method", "qalfa"], "qalpha"),
        (["select", "--permutation=3"], None),  # argparse completes it
        (["path", "--matrix", "corelation"], "correlation"),
    ],
)
def test_what_may_be_meant_is_suggested(capsys, arguments, meant):
    result = run(capsys, *arguments)
    if meant is None:
        assert result[0] == 0
    else:
        assert_refused(result, f"did you mean '{meant}'?")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["select", "--method", "alignment", "--features", "99"], "--features 99: must be"),
        (["path", "--max-size", "99"], "--max-size 99: must be"),
        (["select", "--tol", "-1"], "--tol -1.0: must be"),
        (["stable", "--n-boot", "3"], "--n-boot 3: must be"),
    ],
)
def test_messages_name_options(capsys, arguments, option):
    assert_refused(run(capsys, *arguments), f"specsel: {option}")


def test_warnings_advise_options(capsys, write):
    rows = "".join(f"{i % 7},{i * i % 5},{i % 2}\n" for i in range(30))
    path = write("data.csv", f"a,b,kind\n{rows}")
    err = run(capsys, "select", path, "--method", "weighting", "--target", "kind")[2]
    assert "give -k, or take more features" in err
    values = np.random.default_rng(0).standard_normal((30, 5)) * [1, 1, 1, 1, 1e9]
    err = run(capsys, "select", write("units.npy", values), "--method", "alignment")[2]
    assert "add --standardise if units differ" in err
