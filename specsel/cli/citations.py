"""What to cite: the package, and the paper behind every method.

`PAPERS` holds the facts, once. `bibtex` and `as_records` show them.
"""

import re
from typing import Any, NamedTuple

import specsel


class Citation(NamedTuple):
    """One BibTeX entry, and the methods that it stands for."""

    key: str
    kind: str
    methods: tuple[str, ...]
    fields: dict[str, str]


PAPERS = (
    Citation(
        "wolf2005feature",
        "article",
        ("qalpha", "laplacian", "supervised", "kernel", "positivity"),
        {
            "author": "Wolf, Lior and Shashua, Amnon",
            "title": "Feature selection for unsupervised and supervised inference: "
            "the emergence of sparsity in a weight-based approach",
            "journal": "Journal of Machine Learning Research",
            "volume": "6",
            "pages": "1855--1887",
            "year": "2005",
        },
    ),
    Citation(
        "wolf2005combining",
        "techreport",
        ("weighting",),
        {
            "author": "Wolf, Lior and Bileschi, Stanley",
            "title": "Combining variable selection with dimensionality reduction",
            "institution": "MIT Computer Science and Artificial Intelligence Laboratory",
            "number": "MIT-CSAIL-TR-2005-019",
            "year": "2005",
        },
    ),
    Citation(
        "shashua2004kernel",
        "inproceedings",
        ("side_info", "topography", "pairwise", "kernel"),
        {
            "author": "Shashua, Amnon and Wolf, Lior",
            "title": "Kernel feature selection with side data using a spectral approach",
            "booktitle": "European Conference on Computer Vision (ECCV)",
            "series": "Lecture Notes in Computer Science",
            "volume": "3023",
            "pages": "39--53",
            "year": "2004",
        },
    ),
    Citation(
        "moghaddam2006generalized",
        "inproceedings",
        ("gslda", "eslda"),
        {
            "author": "Moghaddam, Baback and Weiss, Yair and Avidan, Shai",
            "title": "Generalized spectral bounds for sparse LDA",
            "booktitle": "International Conference on Machine Learning (ICML)",
            "year": "2006",
        },
    ),
    Citation(
        "mavroeidis2007stability",
        "inproceedings",
        ("sbs",),
        {
            "author": "Mavroeidis, Dimitrios and Vazirgiannis, Michalis",
            "title": "Stability based sparse LSI/PCA: "
            "incorporating feature selection in LSI and PCA",
            "booktitle": "European Conference on Machine Learning (ECML)",
            "year": "2007",
        },
    ),
    # The selection rule is this package's own; the measure that it maximises is theirs.
    Citation(
        "cristianini2002kernel",
        "inproceedings",
        ("alignment",),
        {
            "author": "Cristianini, Nello and Shawe-Taylor, John and Elisseeff, Andre and "
            "Kandola, Jaz",
            "title": "On kernel-target alignment",
            "booktitle": "Advances in Neural Information Processing Systems (NIPS)",
            "volume": "14",
            "pages": "367--373",
            "year": "2002",
        },
    ),
)


def package() -> Citation:
    """Return the entry of the package itself, in the version that runs."""
    fields = {
        "author": "{The specsel developers}",
        "title": "specsel: spectral feature selection, fast and exact",
        "note": f"Python package, version {specsel.__version__}",
    }
    return Citation("specsel", "misc", ("alignment", "evidence"), fields)


def bibtex() -> str:
    """Return BibTeX of the package and of all papers, each below the names of its methods."""
    return "\n\n".join(_entry(citation) for citation in (package(), *PAPERS))


def of_method(method: str) -> str:
    """Return BibTeX of the package and of the papers behind a method."""
    papers = [citation for citation in PAPERS if method in citation.methods]
    return "\n\n".join(_entry(citation) for citation in (package(), *papers))


def as_records() -> list[dict[str, Any]]:
    """Return the same facts as one flat dictionary each, for JSON."""
    return [
        {
            "key": citation.key,
            "type": citation.kind,
            "methods": list(citation.methods),
            **{name: value.strip("{}") for name, value in citation.fields.items()},
        }
        for citation in (package(), *PAPERS)
    ]


def _entry(citation: Citation) -> str:
    methods = citation.methods
    if citation.key == "specsel":
        methods = ("the package", *methods)
    lines = [f"% {', '.join(methods)}"]
    lines.append(f"@{citation.kind}{{{citation.key},")
    for name, value in citation.fields.items():
        lines.append(f"  {name} = {{{_protected(value) if name == 'title' else value}}},")
    return "\n".join([*lines, "}"])


def _protected(title: str) -> str:
    """Put abbreviations in braces, because BibTeX styles write titles in lower case."""
    return re.sub(r"[A-Z]{2,}", r"{\g<0>}", title)
