"""Draws the picture of the README again: ``python tests/figures/draw.py``."""

from pathlib import Path

from specsel import datasets, plotting, qalpha


def draw(folder):
    """Write the picture to a folder."""
    example = datasets.example()
    weights = qalpha.solve(example.X, k=3)
    (folder / "weights.svg").write_text(plotting.svg(weights, names=example.names))


if __name__ == "__main__":
    draw(Path(__file__).parent)
