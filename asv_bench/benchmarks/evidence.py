"""Evidence: what 99 shuffles cost beside one solve."""

import time

from specsel import evidence, qalpha

from .common import expression

# Shuffles that are promised, and those that are run to tell.
SHUFFLES, SOME = 99, 33


class Shuffles:
    """Processor time of 99 shuffles of 72 × 7,129 over that of one solve; the bar is 60.

    Shuffles are solved one a thread, so that no thread waits for another. A single solve shares
    its passes among all threads, which wait between passes.
    """

    params = ([3, "auto"],)
    param_names = ("k",)
    unit = "solves"
    timeout = 600

    def setup(self, k):
        self.X = expression(7129)
        qalpha.solve(self.X, k)
        evidence.solve(self.X, k, n=2)

    def track_solves(self, k):
        one = min(processor_time(lambda: qalpha.solve(self.X, k)) for _ in range(5))
        all_ = processor_time(lambda: evidence.solve(self.X, k, n=SOME, random_state=0))
        return SHUFFLES / SOME * all_ / one

    def time_solve(self, k):
        evidence.solve(self.X, k, n=19, random_state=0)


def processor_time(call):
    """Seconds of all processors that a call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start
