"""The papers' synthetic data, of which it is known which features are relevant.

- `weston_linear`, `weston_nonlinear`: two classes that show in a few features among many of large
  noise, from Weston et al. (2001), as used for Fig. 3(a) of Wolf and Shashua (2005).
- `growing_classes`: any number of tight clusters, Fig. 3(b) of Wolf and Shashua (2005).
- `two_gaussians`, `four_gaussians`: broad clusters, Figs. 1 and 2 of Wolf and Bileschi (2005).
- `two_solutions`: samples that can be grouped in two ways, Fig. 2 of Shashua and Wolf (2004).
- `wishart_pair`, `brownian_pair`: pairs of matrices for sparse linear discriminant analysis (LDA),
  the latter from Sec. 3.1 of Moghaddam et al. (2006).
- `lda_problem`: two classes of samples with correlated features.
- `example`: a small data set with named features, for a first try.

Where the samples form clusters, an irrelevant feature is drawn like a relevant one and then
permuted over the samples, independently of the others. Seen by itself it looks like a relevant
one.

clusters  samples in clusters
lda       problems for sparse LDA
dataset   `Dataset`, what the generators of samples return

References
----------
J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio and V. Vapnik, "Feature selection
for SVMs", NIPS 13, 2001.

A. Shashua and L. Wolf, "Kernel feature selection with side data using a spectral approach", ECCV,
2004.

L. Wolf and A. Shashua, "Feature selection for unsupervised and supervised inference: the
emergence of sparsity in a weight-based approach", JMLR 6, 2005.

L. Wolf and S. Bileschi, "Combining variable selection with dimensionality reduction",
CVPR, 2005.

B. Moghaddam, Y. Weiss and S. Avidan, "Generalized spectral bounds for sparse LDA", ICML, 2006.
"""

from specsel.datasets.clusters import (
    example,
    four_gaussians,
    growing_classes,
    two_gaussians,
    two_solutions,
    weston_linear,
    weston_nonlinear,
)
from specsel.datasets.dataset import Dataset
from specsel.datasets.lda import brownian_pair, lda_problem, wishart_pair

__all__ = [
    "Dataset",
    "brownian_pair",
    "example",
    "four_gaussians",
    "growing_classes",
    "lda_problem",
    "two_gaussians",
    "two_solutions",
    "weston_linear",
    "weston_nonlinear",
    "wishart_pair",
]
