"""Every number that the experiments quote from a paper, and where it stands there.

A `Fact` holds the number or the claim, and the figure, table or section that has it. No other
file of this room holds a published number, notes apart."""

from typing import NamedTuple


class Fact(NamedTuple):
    """A published number or claim, "-" if there is none, and its place in the papers."""

    value: str
    where: str


Facts = dict[str, Fact]

NONE = Fact("-", "")

QALPHA = "Wolf and Shashua 2005"
SIDE = "Shashua and Wolf 2004"
WEIGHTING = "Wolf and Bileschi 2005"
LDA = "Moghaddam et al. 2006"
STABILITY = "Mavroeidis and Vazirgiannis 2007"


def _table(where: str, columns: tuple[str, ...], rows: dict[str, tuple[str, ...]]) -> Facts:
    """Facts of a printed table, by row and column."""
    return {
        f"{row}, {column}": Fact(value, where)
        for row, values in rows.items()
        for column, value in zip(columns, values, strict=True)
    }


# Test errors of Fig. 3a are drawn, not printed. The text compares them.
WESTON: Facts = {
    "with labels": Fact("agrees closely", f"{QALPHA}, Sec. 6"),
    "without labels": Fact("not much behind", f"{QALPHA}, Sec. 6"),
}

CLASSES: Facts = {
    "few": Fact("5-10", f"{QALPHA}, Sec. 6"),
    "many": Fact("mostly above 1", f"{QALPHA}, Sec. 6"),
    "k = n + 2": Fact("smaller", f"{QALPHA}, Sec. 6"),
    "k = max(1, n - 2)": Fact("the best", f"{QALPHA}, Sec. 6"),
    "k = max(1, n - 4)": Fact("may be better", f"{QALPHA}, Sec. 6"),
}

POSITIVITY: Facts = {
    "μ = 1/6, σ = √2/6": Fact("above .99", f"{QALPHA}, Fig. 2a"),
    "μ = .1, σ = 1": Fact("above .99", f"{QALPHA}, Sec. 4.1"),
    "eigenvalue": Fact("μn + σ²/μ", f"{QALPHA}, Sec. 4.1"),
    "growth": Fact("√(n₂ (1 + n₂/q))", f"{QALPHA}, Sec. 4.2"),
}

SPARSITY: Facts = {
    "negative": Fact("0", f"{QALPHA}, Theorem 10 and Fig. 2b"),
    "sign": Fact("likely", f"{QALPHA}, Theorem 10"),
}

KERNEL: Facts = {"plain": Fact("0", f"{QALPHA}, Fig. 6b")}

GENE_MODEL: Facts = {
    "m": Fact("1 from 5 on", f"{QALPHA}, Sec. 6, Genomics"),
    "d": Fact("1 up to 1000", f"{QALPHA}, Sec. 6, Genomics"),
    "e": Fact("1 up to .995", f"{QALPHA}, Sec. 6, Genomics"),
    "s": Fact("30 at least", f"{QALPHA}, Sec. 6, Genomics"),
}
MAX_SURPRISE = "MSA, the method compared with, needs m = 250 and manages e = .95 and s = 2"

GENES = _table(
    f"{QALPHA}, Table 1",
    ("brain", "lymph status", "breast metastasis", "lymphoma"),
    {
        "all genes": ("32", "44", "34", "27"),
        "5 principal components": ("22", "47", "33", "40"),
        "10 principal components": ("26", "47", "26", "27"),
        "20 principal components": ("25", "47", "25", "29"),
        "30 principal components": ("31", "47", "31", "33"),
        "40 principal components": ("31", "47", "31", "33"),
        "50 principal components": ("30", "47", "30", "33"),
        "5 shaved clusters": ("20", "45", "32", "33"),
        "10 shaved clusters": ("24", "43", "31", "30"),
        "20 shaved clusters": ("28", "47", "32", "31"),
        "30 shaved clusters": ("30", "44", "33", "33"),
        "genes by Q-α": ("15", "19", "22", "15"),
        "genes by signal to noise": ("16", "42", "29", "18"),
        "genes by elimination": ("14", "38", "26", "14"),
        "genes by radius and margin": ("13", "39", "24", "14"),
    },
)

# What was clustered: the features as they are, those of Q-α with side information, and components.
_CLUSTERED = ("raw", "Q-α", "principal", "constrained", "oriented")
CLUSTERS = _table(
    f"{SIDE}, Sec. 6, table",
    _CLUSTERED,
    {
        "dermatology": ("0.5197", "0.8816", "0.5197", "0.6074", "0.8050"),
        "ecoli": ("0.6889", "0.7059", "0.6953", "0.6973", "0.5620"),
        "segmentation": ("0.7157", "0.7817", "0.7208", "0.7089", "0.7110"),
        "wine": ("0.7280", "0.9635", "0.7280", "0.7280", "0.9493"),
    },
) | _table(
    f"{SIDE}, Sec. 6",
    _CLUSTERED,
    {name: ("chance",) * 5 for name in ("glass", "boston", "arrhythmia")},
)
WINE_WEIGHTS = Fact("3", f"{SIDE}, Sec. 6")
TOPOGRAPHY = Fact("1 of 1", f"{SIDE}, Fig. 2")
PRECISION: Facts = {
    "Q-α with side information": Fact("0.64 (AR)", f"{SIDE}, Fig. 3a"),
    "principal components": Fact("below .39 (AR)", f"{SIDE}, Fig. 3a"),
    "constrained components": Fact("below .39 (AR)", f"{SIDE}, Fig. 3a"),
    "oriented components": Fact("below .39 (AR)", f"{SIDE}, Fig. 3a"),
}
PAIRS: Facts = {"negative": Fact("about 0", f"{SIDE}, Sec. 5")}
ANIMALS: Facts = {
    "features by Q-α": Fact(".80 to .90 (animals)", f"{QALPHA}, Sec. 6"),
    "all features": Fact(".55 to .65 (animals)", f"{QALPHA}, Sec. 6"),
}

# On the faces of Yale.
FACES = _table(
    f"{WEIGHTING}, Table 1 (Yale)",
    ("gray levels", "wavelets", "wavelets chosen", "wavelets weighted"),
    {"PCA": ("70.0", "64.5", "67.6", "81.2"), "Fisher": ("83.4", "81.8", "83.4", "88.2")},
)
FACES_WON: Facts = {
    "better": Fact("0.75 (Yale)", f"{WEIGHTING}, Sec. 6"),
    "equal": Fact("0.15 (Yale)", f"{WEIGHTING}, Sec. 6"),
}

MONTE_CARLO: Facts = {"greedy": Fact("0.9 or more", f"{LDA}, Fig. 1b")}
SONAR: Facts = {
    "greedy, 30 features": Fact("9", f"{LDA}, Sec. 3.2"),
    "thresholding less greedy": Fact("above 0", f"{LDA}, Sec. 3.2"),
    "correlation less greedy": Fact("above 0", f"{LDA}, Sec. 3.2"),
}
IONOSPHERE: Facts = {
    "exact, 16 features": Fact("11", f"{LDA}, Sec. 3.2"),
    "thresholding, 16 features": Fact("about 11", f"{LDA}, Sec. 3.2"),
    "thresholding less exact": Fact("about 0", f"{LDA}, Sec. 3.2"),
    "correlation less exact": Fact("above 0", f"{LDA}, Sec. 3.2"),
}


class Stable(NamedTuple):
    """A run of the search for a stable subspace: the share to retain, and what was found."""

    data: str
    retain: float
    removed: Fact
    dimension: Fact


STABLE = tuple(
    Stable(name, retain, Fact(removed, f"{STABILITY}, Sec. 5"), Fact(k, f"{STABILITY}, Sec. 5"))
    for name, retain, removed, k in (
        ("ionosphere", 0.33, "2", "1"),
        ("spambase", 0.25, "43", "13"),
        ("segmentation", 0.45, "0", "1"),
        ("segmentation", 0.55, "3", "3"),
        ("segmentation", 0.65, "5", "4"),
    )
)
