"""Tables of results, and whether data are those that a result is for."""


def check_features(n_features, names, expected, expected_names, what):
    """Refuse data of other features than a result is for."""
    if n_features != expected:
        raise ValueError(f"X: has {n_features} features; the {what} are for {expected}")
    if names and expected_names and names != expected_names:
        i = next(i for i in range(expected) if names[i] != expected_names[i])
        raise ValueError(
            f"X: column {i} is {names[i]!r}; the {what} have {expected_names[i]!r} there"
        )


def frame(columns):
    """A pandas table, if pandas is there."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pd.DataFrame(columns)
