"""``specsel info``, in processes of their own: the state of a cache is that of a process."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest
from commands import MODULE, assert_refused, run
from faults.running import lines

import specsel
from specsel._methods import PAPERS
from specsel.cli import info as cli_info
from specsel.cli import main as cli


def info(folder, *options, before="", place=None, **environment):
    call = ["info", "--json", *options]
    script = f"{before}\nfrom specsel.cli.main import main\nraise SystemExit(main({call}))"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)} | environment
    options = {"capture_output": True, "text": True, "env": environment, "cwd": place}
    process = subprocess.run([sys.executable, "-c", script], **options)
    assert (process.returncode, process.stderr) == (0, "")
    return json.loads(process.stdout)


def cached(facts):
    ready, of, total, *_ = facts["kernels"].split()
    assert of == "of"
    return int(ready), int(total)


def test_versions_and_threads(tmp_path):
    facts = info(tmp_path, NUMBA_NUM_THREADS="1")
    assert facts["specsel"] == specsel.__version__
    assert facts["numba"] == numba.__version__
    assert facts["numpy"] == np.__version__
    assert facts["threads"] == 1
    assert facts["threading layer"] in ("omp", "tbb", "workqueue")
    assert facts["NUMBA_NUM_THREADS"] == "1"


def test_the_cache_fills_and_is_stale_when_code_changes(tmp_path):
    package = tmp_path / "copy" / "specsel"
    shutil.copytree(
        Path(specsel.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    ready, total = cached(info(tmp_path, place=package.parent))
    assert ready == 0 < total
    use = "import numpy as np\nfrom specsel._exact import bounds\nbounds.invert(np.eye(3))"
    facts = info(tmp_path, before=use, place=package.parent)
    assert facts["cache"].startswith(str(tmp_path))
    warm, _ = cached(facts)
    assert warm > ready
    without = "import sys\nsys.modules['sklearn'] = sys.modules['matplotlib'] = None"
    assert cached(info(tmp_path, before=without, place=package.parent)) == (warm, total)
    with open(package / "_exact" / "bounds.py", "a") as file:
        file.write("# changed\n")
    assert cached(info(tmp_path, place=package.parent))[0] < warm


def test_a_cache_that_is_off(tmp_path, capsys):
    facts = info(tmp_path, SPECSEL_CACHE="0")
    assert facts["cache"] == "off"
    assert cached(facts)[0] == 0
    assert list(tmp_path.iterdir()) == []
    call, off = [*MODULE, "info", "--warm"], os.environ | {"SPECSEL_CACHE": "0"}
    done = subprocess.run(call, capture_output=True, text=True, env=off)
    refused = (done.returncode, done.stdout, done.stderr)
    assert_refused(refused, "--warm: the cache is off; NUMBA_CACHE_DIR names a folder for it")
    refused = run(capsys, "info", "--warm", "gslda,qalfa")
    assert_refused(refused, "--warm: there is no method 'qalfa'; did you mean 'qalpha'?")


COMPILED = """
import numpy as np
import pytest
from specsel import weighting
from specsel.cli.info import _kernels

X = np.random.default_rng(0).random((50, 2000))
for values in (X, np.asfortranarray(X), X.astype(np.float32), X[:, :9].copy()):
    for y in (None, np.arange(50) % 3):
        assert weighting.solve(values, y).converged
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in _kernels()))
"""


@pytest.mark.slow
def test_what_was_compiled_beforehand_is_not_compiled_again(tmp_path):
    facts = info(tmp_path, "--warm", "weighting")
    assert facts["cache"].startswith(str(tmp_path))
    assert cached(facts)[0] > 0
    assert lines(COMPILED, NUMBA_CACHE_DIR=str(tmp_path)) == ["0"]


def test_text_is_aligned_and_marks_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(cli_info, "EXTRAS", ("no-such-package",))
    assert cli.main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert next(line for line in lines if line.startswith("no-such-package")).split()[1] == "-"
    assert len({len(line) - len(line.split("  ", 1)[1].lstrip()) for line in lines}) == 1


def test_bibtex_has_an_entry_for_the_package_and_for_every_paper(capsys):
    assert cli.main(["info", "--cite"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^@\w+\{(\w+),$", out, flags=re.MULTILINE) == [*PAPERS]
    assert f"version {specsel.__version__}" in out
    assert "% the package, alignment, evidence\n@misc{specsel," in out
    assert "sparse {LDA}}" in out
    assert out.count("{") == out.count("}")


def test_every_module_names_its_papers_and_json_has_the_same_facts(capsys):
    assert cli.main(["info", "--cite", "--json"]) == 0
    records = {one["key"]: one for one in json.loads(capsys.readouterr().out)["citations"]}
    cited = {method for one in records.values() for method in one["methods"]}
    public = {name for name in specsel.__all__ if name.islower()} - {"datasets", "plotting"}
    assert cited == public
    for key, paper in PAPERS.items():
        if key != "specsel":
            found = {name: records[key][name] for name in paper.fields}
            assert found == paper.fields
            for method in records[key]["methods"]:
                text = import_module(f"specsel.{method}").__doc__
                for surname in re.findall(r"(\w+), \w+", paper.fields["author"]):
                    assert surname in text, (method, key)
