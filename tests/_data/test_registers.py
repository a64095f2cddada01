"""Products of small matrices against those of numpy."""

import os
import subprocess
import sys

import numpy as np
import pytest

from specsel._data import registers


def rows(generator, n_rows, length, kind):
    """Random numbers in aligned rows."""
    matrix = registers.room(n_rows, length, np.empty(0, kind))
    matrix[:] = generator.standard_normal(matrix.shape)
    return matrix


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products_of_any_number_of_rows(kind):
    generator = np.random.default_rng(0)
    close = {"rtol": 0, "atol": 400 * np.finfo(kind).eps}
    for n_left in range(2, 20, 2):
        for n_right, length in ((4, 16), (16, 48), (20, 112)):
            left = rows(generator, n_left, length, kind)
            right = rows(generator, n_right, length, kind)
            out = rows(generator, n_left, registers.row_length(n_right + 1, 4), kind)
            expected = out.copy()
            expected[:, :n_right] += left @ right.T
            registers.add_inner(left, right, out)
            np.testing.assert_allclose(out, expected, **close)
            back = left + out[:, :n_right] @ right
            registers.add_combined(out, right, left)
            np.testing.assert_allclose(left, back, rtol=0, atol=5000 * np.finfo(kind).eps)


def test_rows_are_whole_lines_of_cache():
    for kind, line in ((np.float32, 16), (np.float64, 8)):
        assert registers.row_length(1, np.dtype(kind).itemsize) == line
        assert registers.row_length(line, np.dtype(kind).itemsize) == line
        assert registers.row_length(line + 1, np.dtype(kind).itemsize) == 2 * line
        room = registers.room(3, 2 * line, np.empty(0, kind))
        assert (room.dtype, room.shape, room.any()) == (kind, (3, 2 * line), False)
        assert room.ctypes.data % registers.LINE == 0


@pytest.mark.parametrize(
    "setting",
    [
        {"NUMBA_CPU_NAME": "generic"},
        {"NUMBA_CPU_FEATURES": "+avx2"},
        {"NUMBA_ENABLE_AVX": "0"},
        {"NUMBA_DISABLE_JIT": "1"},
    ],
)
def test_narrow_registers_and_no_compiler(setting):
    """Other processors have fewer and narrower registers."""
    program = (
        "from specsel._data import registers\n"
        f"from {__name__} import test_products_of_any_number_of_rows as test\n"
        "import numpy as np\n"
        "assert registers.PLAIN or not registers.IS_WIDE\n"
        "test(np.float64), test(np.float32)\n"
    )
    folder = os.path.dirname(__file__)
    environment = os.environ | setting | {"PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
