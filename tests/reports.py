"""What the tests of the experiments share."""


def ours(report):
    """Our numbers, by what they are of."""
    return {row.what: row.ours for row in report.rows}
