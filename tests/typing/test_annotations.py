"""What users call says the types of its arguments and results."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "specsel"
# Nobody imports these but the package.
INTERNAL = ("_", "linalg", "papers")
FILES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if not path.relative_to(PACKAGE).parts[0].startswith(INTERNAL)
)


def is_compiled(function):
    return any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)


def public(tree):
    """Functions of a file, and methods of its classes, that others may call."""
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        for member in members:
            if isinstance(member, ast.FunctionDef) and not is_compiled(member):
                name = member.name
                if not name.startswith("_") or (name.startswith("__") and member is not node):
                    yield member


def lacks(function):
    """Arguments without a type, and "return" where the result has none."""
    given = function.args
    optional = [one for one in (given.vararg, given.kwarg) if one]
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *optional]
    missing = [one.arg for one in arguments if one.annotation is None]
    result = [] if function.returns or function.name == "__init__" else ["return"]
    return [name for name in missing if name not in ("self", "cls")] + result


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_public_functions_are_annotated(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    missing = {function.name: lacks(function) for function in public(tree) if lacks(function)}
    assert not missing
