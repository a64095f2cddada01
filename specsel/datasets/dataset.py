"""What a generator of samples returns."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """
    Samples, their labels, and which features are relevant.

    Attributes
    ----------
    X : ndarray of float64, samples x features
    y : ndarray of int, one label a sample
    relevant : ndarray of int, sorted
        Indices of the features that depend on the labels, or that the labels depend on.
    names : tuple of str or None
        One name a feature.
    """

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray
    names: tuple[str, ...] | None = None

    def __repr__(self):
        n_samples, n_features = self.X.shape
        return (
            f"Dataset({n_samples} samples x {n_features} features, {self.relevant.size} relevant)"
        )
