"""What the user asks of a search: what to maximise, when to stop, how much to prove."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel._exact.search import Report
from specsel._validate import Bounds, Worth


class Limits(NamedTuple):
    """The options of a search over several sizes, and the clock that it keeps to.

    `caught` is the list of `catch_interrupts`: it holds something after Ctrl-C.
    """

    time_limit: float | None = None
    gap: float = 0.0
    node_limit: int | None = None
    top: int = 1
    bound: Bounds = "best"
    report: Report | None = None
    clock: Callable[[], float] = time.perf_counter
    began: float = 0.0
    caught: list[int] = []  # noqa: RUF012  # nobody writes into this one
    criterion: Worth = "leading"

    @property
    def left(self) -> float:
        """How many seconds are left."""
        if self.time_limit is None:
            return np.inf
        return max(self.time_limit - (self.clock() - self.began), 0.0)

    def reached(self) -> bool:
        """Tell whether to stop now."""
        return bool(self.caught) or self.left == 0

    def passes(self, n_sizes: int) -> tuple[float, ...]:
        """Which parts of the time may be used up when a pass over all sizes ends.

        A second pass begins anew with the sizes that are open, so that one size gets but one.
        """
        return (1.0,) if self.time_limit is None or n_sizes == 1 else (0.5, 1.0)

    def share(self, part: float, n_left: int) -> float:
        """Divide what is left of a part of the time among the sizes left in this pass."""
        return max(self.left - (1 - part) * (self.time_limit or 0.0), 0.0) / n_left
