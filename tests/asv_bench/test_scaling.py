"""The scaling study, at tiny sizes."""

from importlib import import_module

import pytest


@pytest.mark.parametrize("power", [1.0, 2.0, -1.0])
def test_exponents_are_fitted_through_the_larger_half(power):
    sizes = [1, 10, 100, 1000]
    times = [99.0, 99.0, 3 * 100**power, 3 * 1000**power]
    assert import_module("scaling").exponent(sizes, times) == pytest.approx(power)


def test_a_study_leaves_out_what_memory_does_not_hold():
    scaling = import_module("scaling")
    said = []
    study = scaling.Study("weighting", "n", 1, (20, 10**6), scaling.Case(q=10, threads=1))
    sizes, times = scaling.measure(study, memory=10**6, longest=60, say=said.append)
    assert sizes == [20]
    assert times[0] > 0
    assert said[-1] == "  n = 1000000: left out, X would take 0.1 GB"


def test_every_method_has_a_run_and_says_what_theory_expects():
    scaling = import_module("scaling")
    assert {study.method for study in scaling.STUDIES} == set(scaling.RUNS)


def test_the_command_prints_fitted_beside_theory(capsys):
    import_module("scaling").main(["alignment", "--largest", "4000"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "alignment, n varies"
    assert lines[-1].startswith("| alignment | n | 1000 | 3162 |")
    assert lines[-1].endswith("| 1 |")


def test_an_unknown_method_is_refused(capsys):
    with pytest.raises(SystemExit):
        import_module("scaling").main(["nothing"])
    assert "METHOD: one of alignment," in capsys.readouterr().err
