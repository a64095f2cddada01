"""What users pass in: checked once, before any work. Every layer above may use all of it.

arrays       samples x features, classes and pairs: as arrays, or one line that says what is wrong
arguments    numbers, names, flags and sets of features
choices      the names that an argument may take, as types and as tuples
annotations  types that signatures share
messages     how a message shows values and names, and whose line of code it blames
interrupts   Ctrl-C during compiled work
"""

from specsel._input import choices
from specsel._input.arguments import (
    as_generator,
    check_callback,
    check_choice,
    check_flag,
    check_integer,
    check_not_negative,
    check_number,
    check_sets,
    is_finite,
)
from specsel._input.arrays import (
    Frame,
    as_classes,
    as_labels,
    as_matrix,
    as_pairs,
    as_samples,
    as_sparse,
    check_samples,
    check_unmasked,
    describe_not_finite,
)
from specsel._input.interrupts import catch_interrupts
from specsel._input.messages import TOO_EXTREME, brief, caller, first_few, name_features

__all__ = [
    "TOO_EXTREME",
    "Frame",
    "as_classes",
    "as_generator",
    "as_labels",
    "as_matrix",
    "as_pairs",
    "as_samples",
    "as_sparse",
    "brief",
    "caller",
    "catch_interrupts",
    "check_callback",
    "check_choice",
    "check_flag",
    "check_integer",
    "check_not_negative",
    "check_number",
    "check_samples",
    "check_sets",
    "check_unmasked",
    "choices",
    "describe_not_finite",
    "first_few",
    "is_finite",
    "name_features",
]
