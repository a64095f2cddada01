"""What the benchmarks of several algorithms have in common.

A file of benchmarks derives a class and fills in what is abstract. asv leaves abstract classes
out, so the classes here are no benchmarks themselves. It leaves out a derived class in which
something is still abstract, too; ``tests/test_package.py`` finds those.
"""

from abc import ABC, abstractmethod

import numpy as np

from specsel import _data, qalpha

from .common import FULL, best_of_interleaved, expression, extra_memory, times_faster


class Solve(ABC):
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129],)
    param_names = ("n_features",)

    @abstractmethod
    def prepare(self, X, *options):
        """Return a function that solves; the options are the parameters after ``n_features``."""

    def setup(self, n_features, *options):
        self.solve = self.prepare(expression(n_features), *options)
        self.result = self.solve()

    def time_solve(self, *parameters):
        self.solve()

    def peakmem_solve(self, *parameters):
        self.solve()

    def track_passes(self, *parameters):
        return self.result.n_passes

    track_passes.unit = "reads of the data"


class AgainstLiteral(ABC):
    """Times faster than the literal dense method from the same start; the bar is 100."""

    unit = "times faster"
    timeout = 3600
    n_features = 7129 if FULL else 300

    @abstractmethod
    def prepare(self, X):
        """Return two functions: ours returns a result, the literal method its objective."""

    def setup(self):
        self.ours, self.literal = self.prepare(expression(self.n_features))

    def track_speedup(self):
        return times_faster(self.ours, self.literal)

    def track_relative_difference_of_objectives(self):
        return abs(self.ours().objective / self.literal() - 1)


class ExtraMemory(ABC):
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15.

    What solves is the module whose name the file of the benchmark has.
    """

    unit = "share of X"
    timeout = 3600

    @property
    @abstractmethod
    def arguments(self):
        """What stands after X in the call; it may name what `extra_memory` defines."""

    def track_extra_memory(self):
        return extra_memory(type(self).__module__.rpartition(".")[2], self.arguments)


class PassTime(ABC):
    """Time of a product over that of Q-α at the same k, 100 samples; the bar is 2.5."""

    params = (["parts", "as-is"], [2, 6])
    param_names = ("representation", "k")
    unit = "times qalpha"
    timeout = 3600

    @abstractmethod
    def prepare(self, data, k):
        """Return a problem of `data` and how many directions it has."""

    def setup(self, representation, k):
        self.X = np.random.default_rng(0).random((10**6 if FULL else 10**5, 100)).T
        data = _data.represent(self.X, representation=representation)
        self.problem, self.width = self.prepare(data, k)

    def track_over_qalpha(self, representation, k):
        return product_over_qalpha(self.problem, self.width, self.X, k)


def product_over_qalpha(problem, width, X, k):
    """Time of a variant's product over that of Q-α with k directions, both at random bases."""
    problems = (problem, width), (qalpha.Energy(_data.read(X)), k)
    calls = [product(*one) for one in problems]
    ours, plain = best_of_interleaved(calls, 8)
    return ours / plain


def product(problem, width):
    """Return a function that runs one product of a problem."""
    basis = problem.random(np.random.default_rng(1), width)
    start = problem.enter(basis)
    return lambda: problem.product(start, basis)
