"""Compare the speed of two commits: ``python gate.py BASE [HEAD]``, in the folder ``asv_bench``.

asv runs the benchmarks of this folder on both commits, in turn, round after round, so that a
machine that is busy for a while slows both. The least of all rounds counts. What looks slower is
measured again, and fails only if it looks slower every time. Nothing is installed: both commits
run under this Python, with the packages that it has.

Times, peak memory and what benchmarks track are compared: where less is better.

Exit codes: 0 nothing is slower; 1 something is slower, or fails in HEAD alone; 2 nothing could be
compared.
"""

import argparse
import io
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASV = (sys.executable, "-m", "asv")
LESS_IS_BETTER = r"\.(time|timeraw|peakmem|track)_(?!wins|gain|accuracy)"


class Commit:
    """A commit in a folder of its own, on which asv runs the benchmarks of this tree.

    Its results go to `results`, by default in the same folder.
    """

    def __init__(self, revision, folder, results=None):
        self.folder = folder
        self.results = results or folder / "results"
        self.hash = _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
        folder.mkdir()
        with tarfile.open(fileobj=io.BytesIO(_git("archive", self.hash))) as archive:
            archive.extractall(folder / "tree", filter="data")
        configuration = json.loads((HERE / "asv.conf.json").read_text()) | {
            "repo": str(HERE.parent),
            "branches": [self.hash],
            "benchmark_dir": str(HERE / "benchmarks"),
            "results_dir": str(self.results),
        }
        (folder / "asv.conf.json").write_text(json.dumps(configuration))
        # asv puts ASV_PYTHONPATH before all else, and processes that a benchmark starts want the
        # other; HOME holds what asv writes of the machine.
        self.environment = os.environ | {
            "ASV_PYTHONPATH": str(folder / "tree"),
            "PYTHONPATH": str(folder / "tree"),
            "NUMBA_CACHE_DIR": str(folder / "cache"),
            "HOME": str(folder),
        }
        self.asv("machine", "--yes")

    def asv(self, command, *arguments):
        """Run asv and return the lines that it prints.

        It ends with an error where one benchmark fails, so what it writes tells more.
        """
        run = subprocess.run(
            [*ASV, command, "--config", self.folder / "asv.conf.json", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return run.stdout.splitlines()

    def run(self, pattern, *options):
        """Run the benchmarks that match under this Python; return the lines that asv prints."""
        fixed = ["--python=same", "--launch-method=spawn", "--set-commit-hash", self.hash]
        return self.asv("run", *fixed, "--bench", pattern, *options)

    def measure(self, pattern):
        """Run the benchmarks that match; return a number, or None, for each and its parameters."""
        for old in self.results.glob("*/*-*.json"):
            old.unlink()
        chosen = f"^(?=.*{LESS_IS_BETTER})(?=.*(?:{pattern}))"
        lines = self.run(chosen, "-a", "rounds=1", "-a", "repeat=5")
        found = {}
        for path in self.results.glob("*/*-*.json"):
            for name, row in json.loads(path.read_text())["results"].items():
                values, parameters = row[:2]
                cases = list(itertools.product(*parameters))
                for case, value in zip(cases, values or [None] * len(cases), strict=True):
                    shown = f"{name}({', '.join(case)})" if case else name
                    found[shown] = None if value is None or math.isnan(value) else value
        if not found:
            print(f"{self.hash[:8]}: asv ran nothing and ended so:", *lines[-3:], sep="\n  ")
        return found


def _git(*arguments):
    run = subprocess.run(["git", "-C", HERE.parent, *arguments], stdout=subprocess.PIPE)
    if run.returncode:
        raise ValueError(f"git {' '.join(arguments)}: failed")
    return run.stdout


def least(base, head, pattern, rounds):
    """Measure both in turn; return the least of all rounds, for base and for head."""
    best = {}, {}
    for i in range(rounds):
        sides = list(zip((base, head), best, strict=True))
        for side, values in reversed(sides) if i % 2 else sides:
            for name, value in side.measure(pattern).items():
                known = [one for one in (value, values.get(name)) if one is not None]
                values[name] = min(known, default=None)
    return best


def ratios_of(base, head, pattern, rounds):
    """Return head over base for each benchmark, and those that run on base alone."""
    before, after = least(base, head, pattern, rounds)
    ran = {name: value for name, value in before.items() if value is not None}
    broken = {name for name in ran if after.get(name) is None}
    return {name: over(after[name], ran[name]) for name in ran.keys() - broken}, broken


def over(after, before):
    """Return the ratio; of two that are 0, 1."""
    return after / before if before else 1.0 if after <= 0 else math.inf


def compare(base, head, pattern, *, rounds, repeats, factor, say=print):
    """Compare two sides, each of which can ``measure`` a pattern; return the exit code."""
    ratios, broken = ratios_of(base, head, pattern, rounds)
    slower = {name for name, ratio in ratios.items() if ratio > factor}
    for i in range(repeats):
        if not slower:
            break
        say(f"{len(slower)} of {len(ratios)} look slower; measured again ({i + 1} of {repeats})")
        exactly = "|".join(sorted(f"^{re.escape(name)}$" for name in slower))
        again, failing = ratios_of(base, head, exactly, rounds)
        broken |= failing
        slower = {name for name in slower if again.get(name, 0) > factor}
        ratios |= {name: min(ratios[name], ratio) for name, ratio in again.items()}
    for name in sorted(ratios, key=ratios.get):
        say(f"{ratios[name]:6.2f}  {name}{'  SLOWER' if name in slower else ''}")
    for name in sorted(broken):
        say(f"     -  {name}  FAILS in HEAD alone")
    if not ratios and not broken:
        say("nothing was compared: no benchmark that matches runs on both commits")
        return 2
    say(f"{len(ratios)} compared: {len(slower)} slower by {factor:g}, {len(broken)} broken")
    return 1 if slower or broken else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base")
    parser.add_argument("head", nargs="?", default="HEAD")
    parser.add_argument(
        "--bench", default=r"(Solve|Search)\.time", help="regular expression, as of asv"
    )
    parser.add_argument("--factor", type=float, default=1.05, help="what counts as slower")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=2, help="of what looks slower")
    args = parser.parse_args()
    options = {"rounds": args.rounds, "repeats": args.repeats, "factor": args.factor}
    with tempfile.TemporaryDirectory() as folder:
        try:
            base = Commit(args.base, Path(folder) / "base")
            head = Commit(args.head, Path(folder) / "head")
        except ValueError as error:
            sys.exit(str(error))
        sys.exit(compare(base, head, args.bench, **options))


if __name__ == "__main__":
    main()
