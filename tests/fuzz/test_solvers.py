"""A small share of what ``tests/fuzz/run.py`` tries by the ten thousand."""

import pytest
from fuzz import cases, definitions, draws, exact


@pytest.mark.parametrize(
    "block", [*range(8), *(pytest.param(i, marks=pytest.mark.slow) for i in range(8, 20))]
)
def test_any_call_returns_what_is_right_or_refuses_in_one_line(block):
    outcomes = [cases.attempt(seed) for seed in range(20 * block, 20 * block + 20)]
    assert set(outcomes) <= {"returned", "refused"}


@pytest.mark.parametrize("name", definitions.PROBLEMS)
def test_weights_are_those_of_the_definitions(name):
    start, step = [*definitions.PROBLEMS].index(name), len(definitions.PROBLEMS)
    outcomes = [definitions.attempt(seed) for seed in range(start, 40 * step, step)]
    assert outcomes.count("equal") > 5


def test_exact_search_finds_what_enumeration_finds():
    outcomes = [exact.attempt(seed) for seed in range(200)]
    assert outcomes.count("optimal") > 100


def test_every_option_is_drawn():
    for name, function in cases.CALLS.items():
        module = cases.OTHERS.get(name, name.split()[0])
        for option, parameter in draws.parameters(function).items():
            assert draws.drawer(module, option, parameter), (name, option)
