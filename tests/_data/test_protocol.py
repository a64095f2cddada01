"""What an algorithm may ask of data is what a dense array answers."""

import inspect

import pytest

from specsel import _data


def members(protocol):
    return [
        name
        for parent in protocol.__mro__
        if parent.__module__ == protocol.__module__
        for name in vars(parent)
        if not name.startswith("_")
    ]


@pytest.mark.parametrize("name", members(_data.Data))
def test_dense_data_answer_all_that_may_be_asked(name):
    asked = inspect.getattr_static(_data.Data, name)
    given = inspect.getattr_static(_data.Dense, name, None)
    if isinstance(asked, property):
        assert isinstance(given, property) or name in _data.Dense.__dataclass_fields__
    else:
        wanted, found = (list(inspect.signature(f).parameters.values()) for f in (asked, given))
        assert [(p.name, p.default) for p in found] == [(p.name, p.default) for p in wanted]


@pytest.mark.parametrize("name", members(_data.Data))
def test_every_question_is_explained(name):
    asked = inspect.getattr_static(_data.Data, name)
    assert asked.__doc__.endswith(".")
