"""Damaged sparse matrices are refused before compiled code follows their indices.

A miss can crash the process: every call is made in another one, and what it prints is checked.
"""

import os
from pathlib import Path

import damaged
import numpy as np
import pytest
from faults.running import lines
from scipy import sparse

from specsel import _containers

TESTS = Path(damaged.__file__).parent
PREAMBLE = """
import sys, warnings
import damaged, numpy as np
from specsel import sbs, StableLSI, StabilitySelection, StablePCA
"""

CALLS = [
    "sbs.solve(X, n_boot=100)",
    "sbs.intervals(X, n_boot=100)",
    "found.transform(X)",
    "StableLSI(n_boot=100).fit(X)",
    "fitted.transform(X)",
    "fitted.inverse_transform(X)",
    "StabilitySelection(StableLSI(n_boot=100)).fit(X)",
]


def run(script, *arguments):
    path = f"{TESTS}{os.pathsep}{TESTS.parent}"
    return lines(PREAMBLE + script, *arguments, PYTHONPATH=path)


def test_what_was_assigned_to_is_refused():
    script = """
whole = damaged.intact("csr")
found = sbs.solve(whole, retain=0.01, n_boot=100, random_state=0)
fitted = StablePCA(retain=0.01, n_boot=100, random_state=0).fit(whole)
for call in sys.argv[1:]:
    for format, part, what, value in damaged.cases():
        if (part, what) == ("data", "NaN"):
            continue  # scikit-learn words it, in several lines
        X = damaged.assigned(format, part, value)
        print(call, format, part, what, end=": ", flush=True)
        try:
            eval(call)
        except ValueError as error:
            print(str(error).count("\\n"), error, flush=True)
"""
    answers = run(script, *CALLS)
    whole = [case for case in damaged.cases() if case[1:3] != ("data", "NaN")]
    assert len(answers) == len(CALLS) * len(whole)
    for line in answers:
        assert ": 0 X: " in line, line


def test_damaged_files_are_refused(tmp_path):
    script = """
from specsel.cli import main
for format, part, what, value in damaged.cases():
    path = f"{sys.argv[1]}/{format}-{part}-{what}.npz".replace(" ", "-")
    np.savez(path, **damaged.parts(format) | {part: value})
    for command in ("stable", "select", "path"):
        print(format, part, what, command, end=": ", flush=True)
        print(main.main([command, path]), flush=True)
"""
    printed = run("import sys; sys.stderr = sys.stdout\n" + script, tmp_path)
    answers, codes = printed[::2], printed[1::2]
    assert len(codes) == 3 * len([*damaged.cases()])
    assert set(codes) == {"2"}
    for line in answers:
        assert ": specsel: " in line, line
        assert str(tmp_path) in line or "NaN" in line, line


@pytest.mark.parametrize("format", [*damaged.FORMATS, "lil", "dok"])
def test_what_is_sound_keeps_its_values(format):
    whole = damaged.intact("csr" if format in ("lil", "dok") else format).asformat(format)
    for dtype in (np.float64, np.float32, np.int8, bool):
        found = _containers.as_sparse(whole.astype(dtype))
        assert (found.format, found.dtype) == ("csc", np.float64)
        np.testing.assert_array_equal(found.toarray(), whole.toarray().astype(dtype))


def test_what_is_stored_oddly_but_soundly_is_read():
    whole = damaged.intact("csc")
    more = sparse.csc_array(whole)
    more.data = np.append(more.data, [np.nan, 9.0]).astype(">f8")
    more.indices = np.append(more.indices, [-5, 10**6]).astype(np.int16)
    more.indptr = more.indptr.astype(np.uint8)
    np.testing.assert_array_equal(_containers.as_sparse(more).toarray(), whole.toarray())
    beyond = sparse.dia_array((np.ones((2, 6)), [0, 50]), shape=(40, 6))
    np.testing.assert_array_equal(_containers.as_sparse(beyond).toarray(), np.eye(40, 6))


def changed(matrix, **parts):
    for name, value in parts.items():
        setattr(matrix, name, value)
    return matrix


def with_rows(*rows):
    whole = sparse.lil_array(np.eye(2))
    whole.rows[:] = rows
    return whole


EYE, HUGE = np.eye(4), np.array([0, 1, 2, 2**63 + 9], np.uint64)
DAMAGED = "X: is a damaged sparse matrix"
REFUSED = [
    (changed(sparse.bsr_array(EYE, blocksize=(2, 2)), _shape=(5, 4)), f"{DAMAGED}: blocks of"),
    (changed(sparse.bsr_array(EYE, blocksize=(2, 2)), _shape=(4, 5)), f"{DAMAGED}: blocks of"),
    (changed(sparse.csr_array(np.eye(3)), indptr=HUGE), DAMAGED),
    (with_rows([0], [9]), DAMAGED),
    (with_rows([0], ["a"]), DAMAGED),
    (with_rows([0], [0, 1]), DAMAGED),
    (with_rows([0], [0.5]), DAMAGED),
    (with_rows([0], 3), DAMAGED),
    (sparse.coo_array(np.ones(5)), "X: has 1 dimension; 2 are needed, samples x features"),
    (sparse.csr_array(np.ones((2, 2)) * 1j), "X: has dtype complex128; real numbers are need"),
    (sparse.csr_array((0, 3)), r"X: has shape \(0, 3\); it must not be empty"),
]


@pytest.mark.parametrize(("matrix", "message"), REFUSED)
def test_the_message_names_what_is_wrong(matrix, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        _containers.as_sparse(matrix)
