"""``specsel info``: what a report of a problem should hold, and how to cite."""

import argparse
import importlib
import json
import os
import pkgutil
import platform
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import specsel
from specsel import _runtime, _validate
from specsel._methods import METHODS, PAPERS, choices, parameters, users
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
ALL = ", ".join(METHODS)
VARIABLES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "SPECSEL_")

DESCRIPTION = "Print versions, threads and the cache of compiled code, or what to cite."
EPILOG = """\
"kernels" counts the compiled functions of the package. One that is in the cache starts at once;
the others are compiled when first used, which takes some seconds each.

--warm compiles them beforehand, for an image or for the nodes of a cluster: some minutes for all.
The code fits the processor that compiles it; with NUMBA_CPU_NAME=generic it fits others too. Who
uses the cache must be allowed to write to its folder, or numba takes another one.

With --cite the command prints BibTeX instead: one entry for the package, and one for the paper
behind each method. Cite the paper of the method that you use.

examples:
  specsel info --json
  specsel info --cite > specsel.bib
  specsel info --warm
  specsel info --warm eslda,qalpha
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    parser.add_argument(
        "--cite", action="store_true", help="print BibTeX of the package and of the papers"
    )
    warm_help = "compile everything into the cache first, or what some methods need"
    parser.add_argument("--warm", nargs="?", const=ALL, metavar="METHODS", help=warm_help)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the facts, or what to cite; compile before if asked to."""
    if args.warm is not None:
        _warm(common.listed([args.warm]))
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


def _warm(methods: Sequence[str]) -> None:
    """Compile what methods need, by calls of their `solve` on small data."""
    for name in methods:
        if name not in METHODS:
            close = _validate.suggest(name, METHODS) or f"; they are {ALL}"
            raise ValueError(f"--warm: there is no method {name!r}{close}")
    if not any(kernel.stats.cache_path for kernel in _kernels()):
        raise ValueError("--warm: the cache is off; NUMBA_CACHE_DIR names a folder for it")
    calls = [(name, *call) for name in methods for call in _calls(name)]
    with terminal.progress("{} of {} calls: {}".format, counted=True) as show:
        for i, (name, X, options) in enumerate(calls):
            if show:
                show(i, len(calls), name)
            # Not every method takes every layout, nor every choice with such data.
            with warnings.catch_warnings(), suppress(ValueError):
                warnings.filterwarnings("ignore", "(?!compiled code is not kept)")
                importlib.import_module(f"specsel.{name}").solve(X, **options)


def _calls(method: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield X and options: every layout and type of number, then every choice by name.

    Parallel loops run where there are many features, and the same without threads where few.
    """
    from scipy.sparse import csc_array

    known, rng, pairs = parameters(method), np.random.default_rng(0), [(0, 1), (2, 3)]
    calls: list[tuple[Any, dict[str, Any]]] = [(rng.random((600, 36)), {})]
    for n in (600, 40) if METHODS[method].command == "select" else (40,):
        X = rng.random((36, n)) ** 2
        for values in (X, X.astype(np.float32)):
            layouts = values, np.asfortranarray(values), csc_array(values * (values > 0.5))
            calls += [(layout, {}) for layout in layouts]
        for name, one in known.items():
            calls += [(X, {name: way}) for way in choices(one.annotation)]
    every: dict[str, Any] = {"k": 8 if "time_limit" in known else 2, "n": 3, "n_boot": 100}
    every |= {"apart": pairs, "together": pairs[1:], "max_size": 8, "time_limit": 1.0}
    for classes in [None] * ("y" not in METHODS[method].needs) + [2, 3] * ("y" in known):
        for X, choice in calls:
            y = np.arange(X.shape[0]) % classes if classes else None
            options = every | {"y": y, "side": X[:20]}
            yield X, {name: options[name] for name in known if name in options} | choice


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
