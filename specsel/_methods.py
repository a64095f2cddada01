"""The table of methods: one row each, and the papers that they come from.

What is imported on demand, the command line's ``--method``, citations, the methods that `evidence`
compares, the random tests: all of them follow from `METHODS`. Which options the command line has
for their parameters, and their help, stands in ``OPTIONS`` of ``cli/common.py``. Importing this
module imports nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, get_args, get_type_hints

if TYPE_CHECKING:
    import inspect as _inspect

    # The modules of the table, for type checkers: `specsel` exports them.
    from specsel import alignment as alignment
    from specsel import eslda as eslda
    from specsel import gslda as gslda
    from specsel import kernel as kernel
    from specsel import laplacian as laplacian
    from specsel import pairwise as pairwise
    from specsel import qalpha as qalpha
    from specsel import sbs as sbs
    from specsel import side_info as side_info
    from specsel import supervised as supervised
    from specsel import topography as topography
    from specsel import weighting as weighting


class Method(NamedTuple):
    """One method: the function ``solve`` of the module ``specsel.<name>``.

    `estimators` are classes of `specsel.estimators`, `papers` keys of `PAPERS`, `command` is the
    command that runs the method. Of the arguments `needs`, `solve` needs at least one.
    `compared` says that `evidence` can compare its objective with that of shuffled data.
    """

    name: str
    estimators: tuple[str, ...]
    papers: tuple[str, ...]
    help: str
    command: str = "select"
    needs: tuple[str, ...] = ()
    compared: bool = False


METHODS = {
    row.name: row
    for row in (
        Method(
            "qalpha",
            ("QAlpha",),
            ("wolf2005feature",),
            "features that make the samples form k clusters",
            compared=True,
        ),
        Method(
            "laplacian",
            ("LaplacianQAlpha",),
            ("wolf2005feature",),
            "clusters in the graph of affinities between samples",
        ),
        Method(
            "supervised",
            ("SupervisedQAlpha",),
            ("wolf2005feature",),
            "features that tell the classes apart",
            needs=("y",),
            compared=True,
        ),
        Method(
            "kernel",
            ("KernelQAlpha",),
            ("wolf2005feature", "shashua2004kernel"),
            "clusters that linear methods miss, by a kernel",
            compared=True,
        ),
        Method(
            "side_info",
            ("SideInfoQAlpha",),
            ("shashua2004kernel",),
            "clusters that the samples of the side data do not have",
            needs=("side",),
        ),
        Method(
            "topography",
            ("QAlpha",),
            ("shashua2004kernel",),
            "several groupings of the samples, one per round",
        ),
        Method(
            "pairwise",
            ("PairwiseQAlpha",),
            ("shashua2004kernel",),
            "clusters that respect pairs of samples",
            needs=("apart", "together"),
        ),
        Method(
            "weighting",
            ("ParameterFreeWeighting", "FisherWeighting"),
            ("wolf2005combining",),
            "features that have most in common with all others; needs no k, but is less sharp; "
            "with classes: features for discriminant analysis, sharper with k",
            compared=True,
        ),
        Method(
            "alignment",
            ("AlignmentSelector",),
            ("specsel", "cristianini2002kernel"),
            "features that show which samples are near each other and do not repeat one another; "
            "with classes: which samples are of one class",
        ),
        Method(
            "gslda",
            ("GreedySparseLDA",),
            ("moghaddam2006generalized",),
            "sparse LDA or, without classes, sparse PCA: greedy",
            command="path",
        ),
        Method(
            "eslda",
            ("ExactSparseLDA",),
            ("moghaddam2006generalized",),
            "sparse LDA or, without classes, sparse PCA: with a proof",
            command="path",
        ),
        Method(
            "sbs",
            ("StableLSI", "StablePCA"),
            ("mavroeidis2007stability",),
            "features of a stable principal subspace",
            command="stable",
        ),
    )
}

COMPARED = tuple(row.name for row in METHODS.values() if row.compared)

# The module of every estimator. `StabilitySelection` wraps any of them.
ESTIMATORS = {"StabilitySelection": "stability"}
for _row in METHODS.values():
    ESTIMATORS |= dict.fromkeys(_row.estimators, "selectors")


def parameters(method: str) -> "dict[str, _inspect.Parameter]":
    """Return the parameters of a method's `solve`; those of an unpacked TypedDict have no default.

    Imports the method, and with it numba.
    """
    from inspect import Parameter, signature  # here, for it would slow the import down

    solve = import_module(f"specsel.{method}").solve
    found = dict(signature(solve).parameters)
    options = next((p for p in found.values() if p.kind is Parameter.VAR_KEYWORD), None)
    if options is not None:
        del found[options.name]
        for record in get_args(options.annotation):
            for name, kind in get_type_hints(record).items():
                found[name] = Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind)
    return found


def choices(annotation: object) -> tuple[str, ...]:
    """Return the names that a type allows: those of every `Literal` in it."""
    found: dict[str, None] = {}
    for part in get_args(annotation):
        names = (part,) if isinstance(part, str) else choices(part)
        found |= dict.fromkeys(names)
    return tuple(found)


class Paper(NamedTuple):
    """One BibTeX entry: its kind and its fields."""

    kind: str
    fields: dict[str, str]


PAPERS = {
    "specsel": Paper(
        "misc",
        {
            "author": "{The specsel developers}",
            "title": "specsel: spectral feature selection, fast and exact",
        },
    ),
    "wolf2005feature": Paper(
        "article",
        {
            "author": "Wolf, Lior and Shashua, Amnon",
            "title": "Feature selection for unsupervised and supervised inference: "
            "the emergence of sparsity in a weight-based approach",
            "journal": "Journal of Machine Learning Research",
            "volume": "6",
            "pages": "1855--1887",
            "year": "2005",
        },
    ),
    "wolf2005combining": Paper(
        "techreport",
        {
            "author": "Wolf, Lior and Bileschi, Stanley",
            "title": "Combining variable selection with dimensionality reduction",
            "institution": "MIT Computer Science and Artificial Intelligence Laboratory",
            "number": "MIT-CSAIL-TR-2005-019",
            "year": "2005",
        },
    ),
    "shashua2004kernel": Paper(
        "inproceedings",
        {
            "author": "Shashua, Amnon and Wolf, Lior",
            "title": "Kernel feature selection with side data using a spectral approach",
            "booktitle": "European Conference on Computer Vision (ECCV)",
            "series": "Lecture Notes in Computer Science",
            "volume": "3023",
            "pages": "39--53",
            "year": "2004",
        },
    ),
    "moghaddam2006generalized": Paper(
        "inproceedings",
        {
            "author": "Moghaddam, Baback and Weiss, Yair and Avidan, Shai",
            "title": "Generalized spectral bounds for sparse LDA",
            "booktitle": "International Conference on Machine Learning (ICML)",
            "year": "2006",
        },
    ),
    "mavroeidis2007stability": Paper(
        "inproceedings",
        {
            "author": "Mavroeidis, Dimitrios and Vazirgiannis, Michalis",
            "title": "Stability based sparse LSI/PCA: "
            "incorporating feature selection in LSI and PCA",
            "booktitle": "European Conference on Machine Learning (ECML)",
            "year": "2007",
        },
    ),
    # The selection rule is this package's own; the measure that it maximises is theirs.
    "cristianini2002kernel": Paper(
        "inproceedings",
        {
            "author": "Cristianini, Nello and Shawe-Taylor, John and Elisseeff, Andre and "
            "Kandola, Jaz",
            "title": "On kernel-target alignment",
            "booktitle": "Advances in Neural Information Processing Systems (NIPS)",
            "volume": "14",
            "pages": "367--373",
            "year": "2002",
        },
    ),
}

# Modules that are no methods, and what to cite for them.
OTHER_PAPERS = {"positivity": ("wolf2005feature",), "evidence": ("specsel",)}


def users(paper: str) -> list[str]:
    """Return the modules that a paper stands behind."""
    papers = {name: row.papers for name, row in METHODS.items()} | OTHER_PAPERS
    return [name for name, keys in papers.items() if paper in keys]
