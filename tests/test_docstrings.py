"""Every public function explains its parameters, all of them in order, and shows an example."""

import importlib
import inspect
import re

import pytest

import specsel
from specsel._methods import METHODS

PARAMETERS = re.compile(
    r"^Parameters\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL
)


def public():
    for name in (*specsel.__all__, "estimators"):
        if name[0].islower():
            module = importlib.import_module(f"specsel.{name}")
            for key in module.__all__:
                if inspect.isfunction(getattr(module, key)):
                    yield pytest.param(getattr(module, key), id=f"{name}.{key}")


PUBLIC = list(public())


def documented(docstring):
    """Names in the section of parameters, where one line may hold several."""
    section = PARAMETERS.search(docstring)
    lines = section.group(1).splitlines() if section else []
    heads = [line.split(" : ")[0] for line in lines if line and not line[0].isspace()]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


@pytest.mark.parametrize("function", PUBLIC)
def test_parameters_are_those_of_the_signature(function):
    docstring = inspect.getdoc(function)
    assert documented(docstring) == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", PUBLIC)
def test_there_is_an_example(function):
    _, examples = inspect.getdoc(function).split("\nExamples\n--------\n")
    assert ">>> " in examples


@pytest.mark.parametrize("name", [row.name for row in METHODS.values() if row.command == "select"])
def test_methods_that_take_any_container_say_so(name):
    text = " ".join(inspect.getdoc(getattr(specsel, name).solve).split())
    assert (
        "An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map "
        "or an array of h5py, zarr or Dask."
    ) in text
