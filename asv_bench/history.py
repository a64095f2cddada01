"""Record the speed of commits for ``asv publish``: ``python history.py COMMIT ...``.

Every commit is measured in turn under this Python, by a selection of the benchmarks (solves of
large data, searches, first calls), and added to the folder ``results``, which is kept in the
repository, under the name of the machine. Run it alone on a machine, for all commits that are to
be compared; then ``asv publish`` and ``asv preview`` show how each benchmark went.
"""

import argparse
import json
import os
import platform
import tempfile
from pathlib import Path

from gate import HERE, Commit

RECORDED = r"Solve\.time_solve.*'large'|Search\.time_solve.*(hart|Brown|rank 1|all)|FirstCall"


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def record(commit, results, machine, bench, options):
    """Measure a commit and add what asv found to the results; return the last line of asv."""
    python = f"py{platform.python_version()}"
    with tempfile.TemporaryDirectory() as folder:
        side = Commit(commit, Path(folder) / "commit", Path(folder) / "results")
        side.asv("machine", "--yes", "--machine", machine)
        lines = side.run(bench, "--machine", machine, "--launch-method=forkserver", *options)
        for found in side.results.glob("*/*-*.json"):
            row = json.loads(found.read_text())
            # asv names an environment by the path of its Python.
            row["python"] = row["params"]["python"] = platform.python_version()
            row["env_name"] = python
            kept = results / machine / f"{side.hash[:8]}-{python}.json"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(row))
        for name in (f"{machine}/machine.json", "benchmarks.json"):
            (results / name).write_text(json.dumps(json.loads((side.results / name).read_text())))
    return f"{side.hash[:8]}: {lines[-1]}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commits", nargs="+", metavar="COMMIT")
    machine = f"{processor()} {os.cpu_count()} cores".replace(" ", "-")
    parser.add_argument("--machine", default=machine, help="its name")
    parser.add_argument("--bench", default=RECORDED, help="regular expression, as of asv")
    parser.add_argument("--quick", action="store_true", help="each benchmark once, as a trial")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    args = parser.parse_args()
    options = ["--quick", "-a", "rounds=1"] if args.quick else ["-a", "rounds=1", "-a", "repeat=5"]
    for commit in args.commits:
        print(record(commit, args.results, args.machine, args.bench, options), flush=True)


if __name__ == "__main__":
    main()
