"""Numbers beyond all limits at the command line: a result or one line, no traceback."""

import pytest
from commands import run

# Trade-offs and shrinkage at the ends of float64 are a matter of the solvers.
MODERATE = ["1e400", "-1e400", "nan", "inf", str(10**400), f"-{10**400}", "9" * 5000]
HUGE = [*MODERATE, "1e308", "1e-320"]
WHOLE = [*map(str, (10**400, -(10**400), 2**63, 2**64, 2**31)), "9" * 5000, "1e400", "1e3"]
COMMANDS = {
    "select --tol": HUGE,
    "select --method weighting --target 3 --tradeoff": MODERATE,
    "select --method topography --max-iter 2 --tradeoff": MODERATE,
    "select -k": WHOLE,
    "select --top": WHOLE,
    "select --tol 1 --max-iter": WHOLE,
    "select --init random --seed": WHOLE,
    "select --shuffle --seed": WHOLE,
    "select --method topography --max-iter 2 --rounds": WHOLE,
    "select --target": WHOLE,
    "select --drop": WHOLE,
    "path --greedy --max-size": WHOLE,
    "path --max-size 2 --time-limit": HUGE,
    "path --max-size 2 --target 3 --shrinkage": MODERATE,
    "path --always": WHOLE,
    "path --never": WHOLE,
    "stable --n-boot 100 --retain": HUGE,
    "stable --n-boot 100 --confidence": HUGE,
    "stable --n-boot": WHOLE,
    "stable --n-boot 100 --seed": WHOLE,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_numbers_beyond_all_limits(capsys, write, command):
    rows = "\n".join(f"{i},{i * i % 7},{i * 5 % 11},{i % 2}" for i in range(30))
    path = write("data.csv", rows)
    for value in COMMANDS[command]:
        *words, option = command.split()
        code, out, err = run(
            capsys, *words, path, f"{option}{'' if option == '-k' else '='}{value}"
        )
        assert code in (0, 1, 2), value
        assert all(line.startswith("specsel: ") for line in err.splitlines()), (value, err)
        assert (out == "") == (code == 2), (value, err)
        if code == 2:
            assert len(err.splitlines()) == 1, value
