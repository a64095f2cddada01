"""Spectral feature selection: which features carry the structure of the samples?

Every method is a module with a function ``solve(X, ...)``, X being samples × features.

Methods that weigh every feature; k is a number of directions, about that of clusters:

    qalpha      features that make the samples form clusters
    laplacian   the same by the Laplacian of the samples' graph
    kernel      the same by a kernel, for clusters that are not linear
    side_info   clusters that other samples do not have
    pairwise    clusters that respect pairs of samples
    topography  several groupings of the samples, and a map of the features
    weighting   features that have most in common with all others; without k
    supervised  features that tell classes apart; without k

Methods that choose a set of features:

    alignment   features that show which samples are near each other; n is their number
    gslda       sparse LDA or, without classes, sparse PCA: greedy, several sizes
    eslda       the same with a proof; k is a number of features
    sbs         features of a stable principal subspace; the k it finds is a number of components

`evidence` tells whether there is anything to find. With scikit-learn, every method is an estimator
too, such as `QAlpha`. `plotting` draws results, `datasets` makes data to try the methods on, and
`positivity` simulates the theory.

Importing the package loads nothing else: a part is imported when it is first used.

Data
----
Every method that weighs features, and `alignment`, takes all of these and gives the same answer:

- numpy arrays, lists, frames of pandas or polars, Arrow tables, xarray. float32 and float64 are
  used without a copy, in any memory order and read-only; other types are converted. A pass over
  float32 multiplies in single precision: results agree with those of float64 to about 1e-6.
- Sparse matrices of scipy and sparse frames of pandas, which stay sparse. A pass reads the stored
  numbers once. CSC is used as it lies, other formats are converted to CSC once; where the memory
  budget has no room for that, CSR is converted in every pass, a band of columns at a time.
- AnnData as its `X`; for a layer pass ``adata.layers[...]``. `results.annotate` writes what was
  found to ``adata.var``. A sparse `X` in a file, and a view of a file, are read into memory.
- Memory maps from 256 MB on, arrays of h5py and zarr: read block by block, blocks of about 32 MB
  or one chunk, read ahead within the budget. A pass reads blocks of features once, blocks of
  samples twice.
- Arrays and frames of Dask, and a `DataArray` over Dask: a task for every chunk, or one for each
  thread of a worker where the cluster holds X (`persist`). Chunks of columns are best where all
  samples of one fit in 256 MB, else chunks of rows. Make chunks of a file on the workers
  (``da.from_zarr``), as ``da.from_array`` of a memory map sends the file with the tasks.

`weighting` and ``criterion="gap"`` need the affinity of all samples: more passes over blocks.
Where data have more samples than features, `qalpha`, `side_info`, `topography` and `weighting`
reduce them in two to four passes and read them no more. `sbs` accepts sparse matrices, `gslda` and
`eslda` accept them with y. `evidence` takes dense numbers. ``result.n_passes`` says how often X
was read.

Memory
------
What would take more than the budget is refused in one line, before it is allocated. The budget is
``SPECSEL_MEMORY``, such as ``8GiB``, and by default half of what is free. It does not change
results. It bounds matrices of samples × samples (`weighting`, ``criterion="gap"``) and of features
× features (`kernel`, `sbs`, backward `gslda`), the smaller of both (forward `gslda`, `eslda`), and
copies of X. Where `weighting` has no room, ``rank=40`` is an approximation that needs little.

Threads and processes
---------------------
All cores are used, or as many as ``NUMBA_NUM_THREADS`` says; the number changes no bit.

- Several Python threads that solve at once need ``NUMBA_THREADING_LAYER=omp`` or ``tbb``.
- Start processes by ``spawn`` or ``forkserver``: one that is forked after its parent has solved
  something refuses to solve under OpenMP, in one line.
- Matrices of 26 to 1,024 rows are decomposed by one thread of OpenBLAS, which is faster. On a busy
  machine set ``OPENBLAS_NUM_THREADS=1`` and ``NUMBA_NUM_THREADS=1``.
- Compiled code is cached beside the package, or in ``NUMBA_CACHE_DIR``; ``SPECSEL_CACHE=0``
  compiles anew in every process, and ``specsel info --warm`` compiles beforehand.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from specsel._methods import ESTIMATORS, METHODS

__version__ = "0.3.0.dev0"

RESULTS = ("Aligned", "Intervals", "Path", "StableSubspace", "Subset", "Weights")

__all__ = [
    *RESULTS,
    *METHODS,
    "datasets",
    "evidence",
    "plotting",
    "positivity",
    # Without scikit-learn ``import *`` would fail for them.
    *(ESTIMATORS if find_spec("sklearn") else ()),
]

if TYPE_CHECKING:
    from specsel import datasets as datasets
    from specsel import evidence as evidence
    from specsel import plotting as plotting
    from specsel import positivity as positivity
    from specsel._methods import *  # noqa: F403
    from specsel.estimators import *  # noqa: F403
    from specsel.results import Aligned as Aligned
    from specsel.results import Intervals as Intervals
    from specsel.results import Path as Path
    from specsel.results import StableSubspace as StableSubspace
    from specsel.results import Subset as Subset
    from specsel.results import Weights as Weights
else:
    # Hidden from type checkers, which would take every attribute to exist.
    def __getattr__(name: str) -> object:
        """Import a public part when it is first used."""
        if name in RESULTS:
            return getattr(import_module("specsel.results"), name)
        if name in ESTIMATORS:
            return _estimator(name)
        if name in __all__ or name == "estimators":
            return import_module(f"specsel.{name}")
        raise AttributeError(f"module 'specsel' has no attribute {name!r}")


def _estimator(name: str) -> object:
    try:
        return getattr(import_module("specsel.estimators"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
    raise ImportError(f"{name} needs scikit-learn: pip install 'specsel[sklearn]'")


def __dir__() -> list[str]:
    special = [name for name in globals() if name.startswith("__")]
    return [*special, *__all__, "estimators"]
