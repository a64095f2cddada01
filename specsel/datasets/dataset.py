"""What the generators of samples return."""

from dataclasses import dataclass

from specsel._validate import Floats, Integers, Names


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Samples, their labels, and which features are relevant.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        The label of every sample.
    relevant : ndarray of int
        The features that depend on the labels, or on which the labels depend; sorted.
    names : tuple of str or None
        Names of the features.
    """

    X: Floats
    y: Integers
    relevant: Integers
    names: Names = None

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return (
            f"Dataset({n_samples} samples x {n_features} features, {self.relevant.size} relevant)"
        )
