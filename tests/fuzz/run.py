"""Fuzz everything, in one process, and print the counts; this takes about an hour.

    python tests/fuzz/run.py                      # all of it
    python tests/fuzz/run.py --calls 2000         # the first 2,000 calls, and nothing else

A failure is printed with its seed, with which ``cases.attempt(seed)`` and its like repeat it. A
line says now and then how far it is. The small runs have processes of their own: --checked with
numba's check of every index (``NUMBA_BOUNDSCHECK``), --plain without compiling
(``NUMBA_DISABLE_JIT``).
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

# What is run, in this order: how many seeds, and the module whose `attempt` takes one.
PARTS = {
    "exact": (20_000, "exact"),
    "definitions": (20_000, "definitions"),
    "files": (500, None),
    "checked": (1_000, "cases"),
    "plain": (500, "cases"),
    "calls": (100_000, "cases"),
}
SETTINGS = {"checked": {"NUMBA_BOUNDSCHECK": "1"}, "plain": {"NUMBA_DISABLE_JIT": "1"}}

# After so many seeds a line is printed.
OFTEN = 1000


def attempts(part, module, count, first):
    """Try so many seeds; print failures and counts, and return the number of failures."""
    attempt = importlib.import_module(f"fuzz.{module}").attempt
    counts = Counter()
    for done in range(1, count + 1):
        try:
            counts[attempt(first + done - 1)] += 1
        except AssertionError as error:
            counts["failed"] += 1
            print(error, flush=True)
        if done % OFTEN == 0 or done == count:
            summary = ", ".join(f"{number} {key}" for key, number in sorted(counts.items()))
            print(f"{part}: {done} of {count}: {summary}", flush=True)
    return counts["failed"]


def apart(part, count, first):
    """Run one part in a process of its own, and return whether it failed."""
    if part == "files":
        command = [sys.executable, str(HERE / "files.py"), str(count), str(first)]
        return subprocess.run(command).returncode
    with tempfile.TemporaryDirectory() as cache:  # code for these settings is cached apart
        settings = SETTINGS[part] | {"NUMBA_CACHE_DIR": cache}
        command = [sys.executable, str(HERE / "run.py"), "--calls", str(count)]
        print(f"{part}:", flush=True)
        done = subprocess.run([*command, "--first", str(first)], env=os.environ | settings)
    return done.returncode


def main():
    """Run what is asked for; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for part, (count, _) in PARTS.items():
        parser.add_argument(f"--{part}", type=int, metavar="N", help=f"{count} by default")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    asked = vars(parser.parse_args())
    first, failed = asked.pop("first"), 0
    everything = all(count is None for count in asked.values())
    for part, (count, module) in PARTS.items():
        count = count if everything else asked[part] or 0
        if count and (part in SETTINGS or module is None):
            failed += apart(part, count, first)
        elif count:
            failed += attempts(part, module, count, first)
    print("nothing failed" if not failed else "something FAILED", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
