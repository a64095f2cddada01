"""Names that an argument may take: the type and the tuple are one list."""

from typing import get_args

import pytest

from specsel import _validate

PAIRS = [
    ("Init", "INITS"),
    ("BasisStep", "BASIS_STEPS"),
    ("KernelBasisStep", "KERNEL_BASIS_STEPS"),
    ("PairBasisStep", "PAIR_BASIS_STEPS"),
    ("ClassBasisStep", "CLASS_BASIS_STEPS"),
    ("Criterion", "CRITERIA"),
    ("NonNegative", "NON_NEGATIVE"),
    ("Representation", "REPRESENTATIONS"),
    ("Kernel", "KERNELS"),
    ("Shift", "SHIFTS"),
    ("PCAMatrix", "PCA_MATRICES"),
    ("LSIMatrix", "LSI_MATRICES"),
    ("Similarity", "SIMILARITIES"),
    ("IntervalMethod", "INTERVAL_METHODS"),
    ("Distribution", "DISTRIBUTIONS"),
    ("BoundedDistribution", "BOUNDED_DISTRIBUTIONS"),
    ("Direction", "DIRECTIONS"),
    ("Scale", "SCALES"),
    ("Bounds", "BOUNDS"),
    ("Worth", "WORTHS"),
    ("Places", "PLACES"),
]


@pytest.mark.parametrize(("kind", "names"), PAIRS)
def test_types_and_tuples_agree(kind, names):
    assert getattr(_validate, names) == get_args(getattr(_validate, kind))


def test_none_is_left_out():
    tuples = {name for name, value in vars(_validate).items() if isinstance(value, tuple)}
    assert {names for _, names in PAIRS} == tuples
    assert _validate.MEANINGS.keys() == {*_validate.WORTHS}


def test_narrow_choices_are_among_the_wide_ones():
    assert {*_validate.REPRESENTATIONS} - {*_validate.NON_NEGATIVE} == {"centered"}
    assert {*_validate.CLASS_BASIS_STEPS} < {*_validate.BASIS_STEPS}
    assert {*_validate.BOUNDED_DISTRIBUTIONS} < {*_validate.DISTRIBUTIONS}
