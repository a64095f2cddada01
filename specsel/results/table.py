"""What results share: a check that data have the features of a result, and pandas tables."""

from typing import Any

from specsel._validate import Names


def check_features(
    n_features: int, names: Names, expected: int, expected_names: Names, what: str
) -> None:
    """Refuse data whose features differ from those of a result.

    `n_features` and `names` are those of the data, `expected` and `expected_names` those of the
    result, which the message calls `what`.
    """
    if n_features != expected:
        raise ValueError(f"X: has {n_features} features; the {what} are for {expected}")
    if names and expected_names and names != expected_names:
        i = next(i for i in range(expected) if names[i] != expected_names[i])
        raise ValueError(
            f"X: column {i} is {names[i]!r}; the {what} have {expected_names[i]!r} there"
        )


def frame(columns: dict[str, Any]) -> Any:
    """Return a pandas table of the columns, and say how to get pandas if it is missing."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pd.DataFrame(columns)
