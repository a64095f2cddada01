"""Record the speed of commits for ``asv publish``: ``python history.py COMMIT ...``.

Every commit is measured in turn under this Python, by the benchmarks that are recorded (solves,
searches, imports and first calls), and added to the folder ``results``, which is kept in the
repository, under the name of the machine. Run it alone on a machine, for all commits that are to
be compared; then ``asv publish`` and ``asv preview`` show how each benchmark went.
"""

import argparse
import platform
import tempfile
from pathlib import Path

from gate import HERE, Commit

RECORDED = r"^(solve\.Solve\.(time|track)|exact\.Search\.|startup\.)"


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commits", nargs="+", metavar="COMMIT")
    parser.add_argument("--machine", default=processor().replace(" ", "-"), help="its name")
    parser.add_argument("--bench", default=RECORDED, help="regular expression, as of asv")
    parser.add_argument("--quick", action="store_true", help="each benchmark once, as a trial")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    args = parser.parse_args()
    options = ["--quick", "--record-samples"] if args.quick else ["-a", "rounds=1"]
    for commit in args.commits:
        with tempfile.TemporaryDirectory() as folder:
            side = Commit(commit, Path(folder) / "commit", args.results.resolve())
            side.asv("machine", "--yes", "--machine", args.machine, "--cpu", processor())
            *_, last = side.run(args.bench, "--machine", args.machine, *options)
            print(f"{side.hash[:8]}: {last}")


if __name__ == "__main__":
    main()
