"""What the columns of X are shifted and scaled by, whatever holds X."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from specsel import _validate
from specsel._data.moments import extremes, moments
from specsel._data.standardised import Counter
from specsel._validate import Floats, Integers, Names, Representation
from specsel.linalg import FLOAT32_FLOOR, RESIDUAL_FLOOR

# A part whose norm is at most this share of that of the column is no feature: squares of such
# shares are no numbers. By the bytes of a number, as in `moments`.
NEGLIGIBLE_PART = {4: 2.0**-50, 8: 2.0**-300}


class Measured(NamedTuple):
    """Mean and norm of every column, and how its features are represented."""

    mean: Floats
    norm: Floats
    names: Names
    representation: Representation
    exponents: Integers | None  # the powers of two by which extreme columns are divided

    @classmethod
    def of(
        cls, array: Any, dtype: np.dtype[Any], names: Names, representation: Representation
    ) -> "Measured":
        """Measure the columns, in one pass, and refuse those of which nothing varies."""
        mean, norm = moments(array, names, center=representation != "as-is")
        _check_variation(dtype, norm, names, representation)
        return cls(mean, norm, names, representation, extremes(norm, dtype))

    @property
    def moderate(self) -> tuple[Floats, Floats]:
        """Mean and norm once extreme columns are divided."""
        if self.exponents is None:
            return self.mean, self.norm
        return np.ldexp(self.mean, -self.exponents), np.ldexp(self.norm, -self.exponents)

    @property
    def is_shifted(self) -> bool:
        """Whether something else than the mean, or nothing, is subtracted."""
        return self.representation not in ("centered", "as-is")

    @property
    def parts(self) -> int:
        """How many features a column becomes."""
        return 2 if self.representation == "parts" else 1

    @property
    def fraction(self) -> float:
        """What is subtracted of the sorted values of a column: the median, or the minimum."""
        return 0.5 if self.parts == 2 else 0.0

    def told(self, dtype: np.dtype[Any], n_passes: int) -> dict[str, Any]:
        """What data know of their columns, as keywords."""
        centred = self.representation == "centered"
        return {
            "mean": self.mean,
            "norm": self.norm,
            "names": self.names,
            "loses_rank": centred,
            "mean_free": centred,
            "floor": RESIDUAL_FLOOR if dtype == np.float64 else FLOAT32_FLOOR,
            "counter": Counter.of_measured(n_passes + 2 * self.is_shifted),
            "exponents": self.exponents,
        }

    def without_nothing(self, norms: Floats, itemsize: int) -> Floats:
        """The norms of what is made of the columns, 0 for what is nothing."""
        norm = self.moderate[1]
        norms[:, norm == 0] = 0.0
        if len(norms) == 2:
            norms[norms <= NEGLIGIBLE_PART[itemsize] * norm] = 0.0
        return norms


def _check_variation(
    dtype: np.dtype[Any], norm: Floats, names: Names, representation: Representation
) -> None:
    """Refuse data of which nothing varies or hardly anything, and warn of constant features."""
    constant = norm == 0
    smallest = 16 * np.finfo(dtype).tiny
    if (norm[~constant] < smallest).any():
        raise ValueError(f"X: {_validate.TOO_EXTREME}")
    count = int(constant.sum())
    kind = "zero" if representation == "as-is" else "constant"
    if count == len(norm):
        raise ValueError(f"X: all {count} features are {kind}; at least one must vary")
    if count:
        verbs = ("is", "gets") if count == 1 else ("are", "get")
        which = _validate.first_few(_validate.name_features(np.flatnonzero(constant), names))
        warnings.warn(
            f"{count} of {len(norm)} features {verbs[0]} {kind} and {verbs[1]} weight 0: {which}",
            stacklevel=_validate.caller(),
        )
