"""Draws the pictures of the README again: ``python tests/figures/draw.py``."""

from pathlib import Path

import matplotlib

from specsel import datasets, eslda, qalpha, topography
from specsel.plotting import PathDisplay, TopographyDisplay, WeightsDisplay

# Equal pictures have equal bytes.
SETTINGS = {"svg.hashsalt": "specsel", "svg.fonttype": "path", "figure.figsize": (6.4, 3.6)}
METADATA = {"Date": None, "Creator": None}


def displays():
    """Yield the name of each picture, and what it shows."""
    data = datasets.example()
    weights = qalpha.solve(data.X, k=3)
    yield "weights", WeightsDisplay.from_result(weights, names=data.names)
    data = datasets.two_solutions(random_state=1)
    chart = topography.solve(data.X, k=2)
    yield "map", TopographyDisplay.from_result(chart, names=data.names)
    pair = datasets.wishart_pair(30, random_state=3)
    path = eslda.solve_pair(*pair, range(1, 16), node_limit=3000)
    yield "path", PathDisplay.from_result(path)


def draw(folder):
    """Write the pictures to a folder."""
    with matplotlib.rc_context(SETTINGS):
        for name, display in displays():
            display.figure_.savefig(folder / f"{name}.svg", metadata=METADATA)


if __name__ == "__main__":
    matplotlib.use("Agg")
    draw(Path(__file__).parent)
