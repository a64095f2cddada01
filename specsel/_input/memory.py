"""How much memory may be taken, and refusals of what would take more.

The budget is what `SPECSEL_MEMORY` in the environment says, in bytes or as "8GiB", and by default
half of what is free.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}

# Larger budgets are no different.
MOST = 2**62

# Where the system is told, for all processes of a container, how much they may take.
GROUP = Path("/sys/fs/cgroup")


def budget() -> int:
    """Bytes that may be taken.

    Examples
    --------
    >>> budget() > 0
    True
    """
    stated = _stated()
    return _free() // 2 if stated is None else stated


def check_stated_budget() -> None:
    """Refuse a `SPECSEL_MEMORY` that is no size, even where nothing will need the budget."""
    _stated()


def _stated() -> int | None:
    """Bytes that the environment states, if it does; no more than a machine can count."""
    text = os.environ.get("SPECSEL_MEMORY", "").strip()
    if not text:
        return None
    found = re.fullmatch(r"(\d+\.?\d*) *([KMGT]?)(i?)B?", text, re.IGNORECASE)
    size = 0
    if found:
        number, unit, binary = found.groups()
        size = int(min(float(number) * (1024 if binary else 1000) ** UNITS[unit.upper()], MOST))
    if size <= 0:
        raise ValueError(
            f"SPECSEL_MEMORY = {text!r}: must be a number of bytes above 0, such as 8GiB"
        )
    return size


def check_budget(what: str, size: float, advice: str) -> None:
    """Raise a `MemoryError` of one line if `what` would take more bytes than the budget.

    Whoever is about to allocate so much calls this first, before anything else is done.
    """
    most = budget()
    if size > most:
        raise MemoryError(
            f"{what}: would take {readable(size)}, and the budget (SPECSEL_MEMORY) is "
            f"{readable(most)}; {advice}"
        )


class Need(NamedTuple):
    """What takes memory, how many bytes of it, and what to do where that is too much."""

    size: float
    what: str
    advice: str


def check_together(needs: Sequence[Need]) -> None:
    """Check the budget of all that is held at the same time; an error names the largest."""
    _, what, advice = max(needs)
    beside = " and what is held beside" if len(needs) > 1 else ""
    check_budget(what + beside, sum(need.size for need in needs), advice)


def readable(size: float) -> str:
    """A number of bytes in the unit that suits it.

    Examples
    --------
    >>> readable(3 * 2**30), readable(1500)
    ('3 GiB', '1.46 KiB')
    """
    power = 0
    while size >= 1000 and power < 5:
        size, power = size / 1024, power + 1
    return f"{size:.3g} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power]}"


def _free() -> int:
    """Bytes that this process can still take: of the machine, its container and its limits."""
    known = [_of_machine(), _of_container(), _of_process()]
    return max(0, min(size for size in known if size is not None))


def _of_machine() -> int:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return 1024 * int(text.split("MemAvailable:")[1].split()[0])
    except (OSError, ValueError, IndexError):  # not every system tells
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 2**63


def _of_container() -> int | None:
    try:
        most, taken = (
            int((GROUP / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
    except (OSError, ValueError):  # no container, or one without a limit
        return None
    return most - taken


def _of_process() -> int | None:
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    if most == resource.RLIM_INFINITY:
        return None
    return most - pages * os.sysconf("SC_PAGE_SIZE")
