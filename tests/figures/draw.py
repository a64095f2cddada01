"""Draws the pictures of the README again: ``python tests/figures/draw.py``."""

from pathlib import Path

from specsel import datasets, eslda, plotting, qalpha, topography


def draw(folder):
    """Write the pictures to a folder."""
    example = datasets.example()
    weights = qalpha.solve(example.X, k=3)
    (folder / "weights.svg").write_text(plotting.svg(weights, names=example.names))
    data = datasets.two_solutions(random_state=1)
    chart = topography.solve(data.X, k=2)
    (folder / "map.svg").write_text(plotting.svg(chart, names=data.names))
    pair = datasets.wishart_pair(30, random_state=3)
    path = eslda.solve_pair(*pair, range(1, 16), node_limit=3000)
    (folder / "path.svg").write_text(plotting.svg(path))


if __name__ == "__main__":
    draw(Path(__file__).parent)
