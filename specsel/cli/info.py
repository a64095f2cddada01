"""``specsel info``: what a report of a problem should hold, and how to cite."""

import argparse
import importlib
import json
import os
import pkgutil
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import specsel
from specsel import _runtime
from specsel._methods import PAPERS, users
from specsel.cli import common, terminal

PACKAGES = ("numpy", "scipy", "numba", "llvmlite")
EXTRAS = (
    "scikit-learn",
    "pandas",
    "matplotlib",
    "pyarrow",
    "python-calamine",
    "anndata",
    "polars",
)
VARIABLES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "SPECSEL_")

DESCRIPTION = "Print versions, threads and the cache of compiled code, or what to cite."
EPILOG = """\
"kernels" counts the compiled functions of the package. One that is in the cache starts at once;
the others are compiled when first used, which takes some seconds each.

With --cite the command prints BibTeX instead: one entry for the package, and one for the paper
behind each method. Cite the paper of the method that you use.

examples:
  specsel info --json
  specsel info --cite > specsel.bib
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    parser.add_argument(
        "--cite", action="store_true", help="print BibTeX of the package and of the papers"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the facts, or what to cite."""
    facts = {"citations": _records()} if args.cite else _facts()
    if args.json:
        terminal.write(json.dumps(facts))
    elif args.cite:
        terminal.write(bibtex())
    else:
        width = max(map(len, facts))
        lines = (f"{key:{width}}  {'-' if fact is None else fact}" for key, fact in facts.items())
        terminal.write("\n".join(lines))
    return 0


def _facts() -> dict[str, Any]:
    """Return versions, threads, the cache of compiled kernels, and variables that matter."""
    import numba

    kernels = list(_kernels())
    folders = sorted({kernel.stats.cache_path for kernel in kernels} - {None})
    cached = [_runtime.cached_files(kernel) for kernel in kernels]
    ready = f"{sum(map(bool, cached))} of {len(kernels)} in the cache"
    size = sum(file.stat().st_size for files in cached for file in files)
    # numba chooses the threading layer when threads are first counted: keep this order.
    return {
        "specsel": specsel.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{package: version_of(package) for package in (*PACKAGES, *EXTRAS)},
        "cores": os.cpu_count(),
        "threads": numba.get_num_threads(),
        "threading layer": numba.threading_layer(),  # type: ignore[attr-defined]
        "cache": ", ".join(folders) or "off",
        "kernels": f"{ready}, {_runtime.readable(size)}",
        **{name: os.environ[name] for name in sorted(os.environ) if name.startswith(VARIABLES)},
    }


def version_of(package: str) -> str | None:
    """Return the version of an installed package; None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _kernels() -> Iterator[Any]:
    """Yield every compiled function of the package that Python calls."""
    for _, name, is_package in pkgutil.walk_packages(specsel.__path__, "specsel."):
        if is_package or name.split(".")[1] in _runtime.WITHOUT_KERNELS:
            continue
        try:
            module = importlib.import_module(name)
        except ImportError:  # it needs an optional package that is missing
            continue
        for function in vars(module).values():
            if not hasattr(function, "py_func") or function.__module__ != module.__name__:
                continue
            if not function.targetoptions["no_cpython_wrapper"]:
                yield function
            if function.targetoptions["parallel"]:
                yield _runtime.serial_version(function)


def bibtex(method: str | None = None) -> str:
    """Return BibTeX of the package and of all papers, or of those behind one method."""
    keys = [key for key in PAPERS if key == "specsel" or method in (None, *users(key))]
    return "\n\n".join(map(_entry, keys))


def _fields(key: str) -> dict[str, str]:
    note = {"note": f"Python package, version {specsel.__version__}"}
    return PAPERS[key].fields | (note if key == "specsel" else {})


def _entry(key: str) -> str:
    lines = [f"% {', '.join(['the package'] * (key == 'specsel') + users(key))}"]
    lines.append(f"@{PAPERS[key].kind}{{{key},")
    for name, value in _fields(key).items():
        # BibTeX styles write titles in lower case but for what stands in braces.
        value = re.sub(r"[A-Z]{2,}", r"{\g<0>}", value) if name == "title" else value
        lines.append(f"  {name} = {{{value}}},")
    return "\n".join([*lines, "}"])


def _records() -> list[dict[str, Any]]:
    """Return the same facts as one flat dictionary each, for JSON."""
    return [
        {"key": key, "type": paper.kind, "methods": users(key)}
        | {name: value.strip("{}") for name, value in _fields(key).items()}
        for key, paper in PAPERS.items()
    ]


COMMAND = common.Command(DESCRIPTION, EPILOG, add_options, run)
