"""Scripts in processes of their own, for what a test cannot do to its own process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lines(script, *arguments, **settings):
    """Run a file or the text of a script; return what it prints, a line each."""
    environment = {**os.environ, "SPECSEL_CACHE": "1", "PYTHONPATH": str(ROOT), **settings}
    what = [script] if isinstance(script, Path) else ["-c", script]
    command = [sys.executable, "-W", "ignore", *what, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=7200)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout.splitlines()
