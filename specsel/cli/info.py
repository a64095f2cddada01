"""``specsel info``: what a report of a problem needs to say."""

import argparse
import importlib
import json
import os
import pkgutil
import platform
from importlib.metadata import PackageNotFoundError, version

import specsel
from specsel.cli import terminal

PACKAGES = ("numpy", "scipy", "numba", "llvmlite")
EXTRAS = ("scikit-learn", "pandas", "matplotlib")
VARIABLES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "SPECSEL_")

# Rooms and files that compile nothing.
WITHOUT_KERNELS = ("__main__", "cli", "estimators", "papers", "plotting")

EPILOG = """\
"kernels" are the compiled parts: those in the cache start at once, others are compiled when first
used, which takes seconds each.

example:
  specsel info --json
"""


def add_command(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "info",
        help="print versions, threads and the state of the cache",
        description="Print versions, threads and the state of the cache of compiled code.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args) -> int:
    """Collect the facts and print them."""
    facts = {
        "specsel": specsel.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{package: _version(package) for package in (*PACKAGES, *EXTRAS)},
        **_threads(),
        **_cache(),
        **{name: os.environ[name] for name in sorted(os.environ) if name.startswith(VARIABLES)},
    }
    if args.json:
        terminal.write(json.dumps(facts))
        return 0
    width = max(map(len, facts))
    lines = (f"{name:{width}}  {'-' if fact is None else fact}" for name, fact in facts.items())
    terminal.write("\n".join(lines))
    return 0


def _version(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _threads():
    """How many threads kernels use, and by which library: known once they are counted."""
    import numba

    return {
        "cores": os.cpu_count(),
        "threads": numba.get_num_threads(),
        "threading layer": numba.threading_layer(),
    }


def _cache():
    """Where compiled kernels are kept, and how many of them are there."""
    kernels = list(_kernels())
    folders = sorted({kernel.stats.cache_path for kernel in kernels} - {None})
    ready = sum(_is_cached(kernel) for kernel in kernels)
    return {
        "cache": ", ".join(folders) or "off",
        "kernels": f"{ready} of {len(kernels)} in the cache",
    }


def _kernels():
    """All compiled functions; rooms without any may need packages that are not there."""
    for found in pkgutil.walk_packages(specsel.__path__, "specsel."):
        if found.ispkg or found.name.split(".")[1] in WITHOUT_KERNELS:
            continue
        module = importlib.import_module(found.name)
        for function in vars(module).values():
            if hasattr(function, "py_func") and function.__module__ == module.__name__:
                yield function


def _is_cached(kernel):
    """Whether there is code of the source as it is now, which only the index of numba knows."""
    return kernel.stats.cache_path is not None and bool(kernel._cache._cache_file._load_index())
