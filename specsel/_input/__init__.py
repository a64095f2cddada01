"""What users pass in: checked once, before any work. Every layer above may use all of it.

arrays       samples × features, classes and pairs: viewed as arrays, or refused
wrappers     what holds an array: AnnData, and values with names
frames       tables with named columns, of any library
sparse       sparse matrices: checked whole, or refused
streams      arrays that are not in memory: recognised and checked
chunks       chunks of Dask: refused if they are not what their array declares
arguments    numbers, names, flags and sets of features: checked, or refused
choices      arguments that take one of a few names
annotations  types that signatures share
memory       how much memory may be taken, and refusals of what would take more
messages     the wording of messages: how to show values and names, and whose line to blame
interrupts   Ctrl-C during compiled work
"""

from specsel._input import choices
from specsel._input.arguments import (
    as_features,
    as_generator,
    check_callback,
    check_choice,
    check_flag,
    check_integer,
    check_memory,
    check_not_negative,
    check_number,
    check_positive,
    check_sets,
    is_finite,
    is_list,
)
from specsel._input.arrays import (
    as_classes,
    as_data,
    as_labels,
    as_matrix,
    as_pairs,
    as_samples,
    as_sparse,
    as_table,
    check_intact,
    check_samples,
    check_unmasked,
    describe_not_finite,
    stack_samples,
    take_samples,
)
from specsel._input.interrupts import catch_interrupts
from specsel._input.memory import (
    Need,
    budget,
    check_budget,
    check_stated_budget,
    check_together,
    readable,
)
from specsel._input.messages import (
    TOO_EXTREME,
    brief,
    caller,
    count_of,
    first_few,
    name_features,
    printable,
    suggest,
)
from specsel._input.sparse import assemble as assemble_sparse
from specsel._input.streams import is_dask, is_streamed, loaded, take_features
from specsel._input.wrappers import Frame, dimensions, is_wrapped, unwrapped

__all__ = [
    "TOO_EXTREME",
    "Frame",
    "Need",
    "as_classes",
    "as_data",
    "as_features",
    "as_generator",
    "as_labels",
    "as_matrix",
    "as_pairs",
    "as_samples",
    "as_sparse",
    "as_table",
    "assemble_sparse",
    "brief",
    "budget",
    "caller",
    "catch_interrupts",
    "check_budget",
    "check_callback",
    "check_choice",
    "check_flag",
    "check_intact",
    "check_integer",
    "check_memory",
    "check_not_negative",
    "check_number",
    "check_positive",
    "check_samples",
    "check_sets",
    "check_stated_budget",
    "check_together",
    "check_unmasked",
    "choices",
    "count_of",
    "describe_not_finite",
    "dimensions",
    "first_few",
    "is_dask",
    "is_finite",
    "is_list",
    "is_streamed",
    "is_wrapped",
    "loaded",
    "name_features",
    "printable",
    "readable",
    "stack_samples",
    "suggest",
    "take_features",
    "take_samples",
    "unwrapped",
]
