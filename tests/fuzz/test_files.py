"""A few of the damaged files, in a process of their own: see ``files.py``."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COUNT = 40


def test_damaged_files_give_a_result_or_one_line():
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    command = [sys.executable, str(HERE / "files.py"), str(COUNT)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, (done.stdout[-4000:], done.stderr[-2000:])
    assert f"{COUNT} files, 0 failures" in done.stdout
