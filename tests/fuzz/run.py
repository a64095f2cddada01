"""Make 100,000 random calls of all solvers, and print what came of them.

    python tests/fuzz/run.py [calls] [first seed]

Every failure is printed with its seed, with which ``cases.attempt(seed)`` repeats it.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import cases


def main(calls=100_000, first=0):
    """Run the calls; return 1 if one of them failed."""
    counts = Counter()
    for seed in range(first, first + calls):
        try:
            counts[cases.attempt(seed)] += 1
        except AssertionError as error:
            counts["failed"] += 1
            print(error, flush=True)
    print(f"{calls} calls: " + ", ".join(f"{counts[key]} {key}" for key in KEYS))
    return 1 if counts["failed"] else 0


KEYS = ("returned", "refused", "failed")

if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
