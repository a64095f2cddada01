"""Sparse matrices that are stored wrongly, in every format: cases for the tests."""

import numpy as np
from scipy import sparse

COUNTS = np.random.default_rng(0).poisson(0.8, (40, 6)).astype(float)
COUNTS[0] = 1.0

FORMATS = ("csr", "csc", "bsr", "coo", "dia")
PARTS = {"coo": ("row", "col"), "dia": ("offsets",)}


def intact(format):
    """A sparse matrix of this format, sound."""
    if format == "dia":
        return sparse.dia_array(np.tril(np.triu(COUNTS, -20), 3))
    if format == "bsr":
        return sparse.bsr_array(COUNTS, blocksize=(2, 3))
    return sparse.coo_array(COUNTS).asformat(format)


def _changed(array, place, value):
    array = np.array(array)
    array[place] = value
    return array


def cases():
    """Yield the name of a case, its format, the part that is wrong and what that part holds."""
    for format in FORMATS:
        whole = intact(format)
        data = whole.data
        for part in PARTS.get(format, ("indices", "indptr")):
            array = getattr(whole, part)
            middle = len(array) // 2
            yield format, part, "huge", _changed(array.astype(np.int64), middle, 2**62 + 1)
            if part != "offsets":
                yield format, part, "outside", _changed(array, middle, 10**6)
                yield format, part, "negative", _changed(array, middle, -(10**6))
                yield format, part, "minus one", _changed(array, -1, -1)
            yield format, part, "fractional", array + 0.5
            yield format, part, "NaN", _changed(array.astype(float), middle, np.nan)
            yield format, part, "short", array[:-1]
            yield format, part, "long", np.append(array, array[-1:])
            yield format, part, "empty", array[:0]
            yield format, part, "a matrix", array[None]
            yield format, part, "a number", np.int32(3)
            yield format, part, "text", array.astype(str)
            yield format, part, "unsigned", np.full(len(array), 2**64 - 1, np.uint64)
            if part == "indptr":
                yield format, part, "falling", _changed(array, 1, array[-1])
                yield format, part, "late", _changed(array, 0, 1)
            if part == "offsets":
                yield format, part, "twice", _changed(array, 0, array[1])
        yield format, "data", "short", data[:-1]
        yield format, "data", "flat", data.ravel()[:, None, None, None]
        yield format, "data", "text", data.astype(str)
        yield format, "data", "complex", data * 1j
        yield format, "data", "NaN", np.where(data > 0, np.nan, data)
    yield "bsr", "data", "no blocks", intact("bsr").data[:, :0]
    yield "bsr", "data", "blocks too wide", np.ones((len(intact("bsr").data), 3, 4))


def parts(format):
    """What a file of `scipy.sparse.save_npz` holds, by name."""
    whole = intact(format)
    names = ("data", *PARTS.get(format, ("indices", "indptr")))
    found = {name: getattr(whole, name) for name in names}
    return found | {"format": np.array(format.encode()), "shape": np.array(whole.shape)}


def assigned(format, part, value):
    """A sparse matrix that was sound until someone assigned to one of its arrays."""
    whole = intact(format)
    if part in ("row", "col"):
        places = {"row": whole.row, "col": whole.col} | {part: value}
        whole.coords = (places["row"], places["col"])
    else:
        setattr(whole, part, value)
    return whole
