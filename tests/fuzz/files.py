"""Damaged files, at random, through the command line: each must give a result or one line.

    python tests/fuzz/files.py 300          # so many files; add another number for another seed

A try depends on its seed alone. Of a failure the driver prints seed, command and what was printed.
If a file crashes the process, the last seed that it printed is the one.
"""

import contextlib
import faulthandler
import gzip
import io
import sys
import tempfile
import traceback
import warnings
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

DENSE = np.random.default_rng(0).poisson(1.0, (30, 5)) + np.eye(30, 5)
CLASSES = np.arange(30) % 2

COMMANDS = (
    ["select", "-k", "2", "--max-iter", "20"],
    ["select", "--method", "supervised", "--target", "0"],
    ["stable", "--n-boot", "100"],
    ["path", "--max-size", "2", "--time-limit", "1"],
    ["select", "--drop", "1", "--json"],
    ["select", "--method", "alignment", "--features", "2", "--standardise"],
    ["select", "--method", "weighting", "--permutations", "3", "--top", "2"],
    ["select", "--method", "topography", "-k", "1", "--rounds", "2", "--max-iter", "20"],
    ["select", "--method", "laplacian", "-k", "1", "--max-iter", "20"],
    ["path", "--target", "0", "--max-size", "2", "--greedy"],
    ["stable", "--target", "1", "--matrix", "correlation", "--n-boot", "100", "--json"],
    ["select", "--header", "yes", "--impute", "median"],
    ["select", "--header", "no", "--impute", "drop-rows", "--decimal", ","],
    ["select", "--index", "0", "--impute", "drop-columns", "--encoding", "utf-16"],
)
SHAPES = (
    "(-1, 5)",
    "(30, -5)",
    "(1000000000000000000, 5)",
    "(4611686018427387904, 4611686018427387904)",
    f"({10**400}, 5)",
    "(30,)",
    "()",
    "(30, 5, 1)",
    "(1e9, 5)",
    "('a', 5)",
    "(True, 5)",
    "(0, 5)",
    "30",
    "None",
    "(" * 300 + "30" + ")" * 300,
)
DTYPES = (
    "'|O'",
    "'<U5'",
    "'|S8'",
    "'|V8'",
    "'|V0'",
    "'<c16'",
    "'>f8'",
    "'<f2'",
    "'<f16'",
    "'<m8[s]'",
    "'<M8[D]'",
    "[('a', '<f8')]",
    "'(2,2)f8'",
    "'|b1'",
    "'no type'",
    "3",
    "None",
    "('<f8', (10**9,))",
)
CELLS = (
    "1e999",
    "-1e400",
    "nan",
    "9" * 5000,
    "\0",
    '"',
    "٣",
    "\x1b]0;title\x07",
    "a" * 200_000,
    "1_000",
    "",
    "\r",
    "\ud800",
    "=1+1",
)
# What may stand in an array of a sparse matrix instead of what should.
ODD = (
    lambda array, rng: array[:-1],
    lambda array, rng: np.append(array, array[-1:]) if array.ndim else array,
    lambda array, rng: -array - 1,
    lambda array, rng: array + 0.5,
    lambda array, rng: array.astype(str),
    lambda array, rng: array.astype("S"),
    lambda array, rng: array * 10**9,
    lambda array, rng: array.astype(float) * np.nan,
    lambda array, rng: array[None],
    lambda array, rng: array.reshape(-1)[:0],
    lambda array, rng: np.array(None),
    lambda array, rng: array.astype(np.uint8),
    lambda array, rng: array.astype(object),
    lambda array, rng: array * 1j,
    lambda array, rng: rng.permutation(array.reshape(-1)),
    lambda array, rng: np.array(["csr", "csc", "bsr", "coo", "dia", "lil", "no"])[rng.integers(7)],
    lambda array, rng: rng.integers(-(2**62), 2**62, array.shape),
    lambda array, rng: rng.integers(-2, 40, array.shape),
)


def damage(data, rng):
    """Change, cut, repeat or insert some bytes."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(data) + 1))
        length = int(rng.integers(1, 20))
        kind = rng.integers(5)
        if kind == 0:
            data = data[:place]
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = rng.bytes(length)
        elif kind == 3:
            data[place:place] = data[place : place + length]
        else:
            data[place : place + length] = rng.bytes(length)
    return bytes(data)


def npy(rng):
    """A .npy file with an odd header, or with damaged bytes."""
    file = io.BytesIO()
    np.save(file, DENSE)
    content = file.getvalue()
    if rng.random() < 0.3:
        return damage(content, rng)
    shape = rng.choice(SHAPES) if rng.random() < 0.6 else "(30, 5)"
    dtype = rng.choice(DTYPES) if rng.random() < 0.6 else "'<f8'"
    order = rng.choice(["False", "True", "3", "'no'"], p=[0.5, 0.3, 0.1, 0.1])
    header = f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    major = int(rng.choice([1, 2, 3, 9]))
    length = len(header).to_bytes(2 if major == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([major, 0]) + length + header + DENSE.tobytes()


def npz(rng):
    """A .npz file of a sparse matrix with an odd array, without one, or with damaged bytes."""
    format = rng.choice(["csr", "csc", "bsr", "coo", "dia"])
    file = io.BytesIO()
    compressed = rng.random() < 0.5
    sparse.save_npz(file, sparse.coo_array(DENSE).asformat(format), compressed=compressed)
    if rng.random() < 0.3:
        return damage(file.getvalue(), rng)
    with np.load(io.BytesIO(file.getvalue())) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for _ in range(rng.integers(1, 3)):
        name = str(rng.choice(sorted(arrays)))
        if rng.random() < 0.2:
            del arrays[name]
            continue
        with contextlib.suppress(Exception):  # not every change fits every array
            arrays[name] = ODD[rng.integers(len(ODD))](arrays[name], rng)
    file = io.BytesIO()
    np.savez(file, **arrays)
    if rng.random() < 0.7:
        return file.getvalue()
    inner = io.BytesIO()
    chosen = str(rng.choice(sorted(arrays)))
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(inner, "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            bad = name == f"{chosen}.npy"
            changed.writestr(name, npy(rng) if bad else content)
    return inner.getvalue()


def text(rng):
    """A table of text with odd cells, or with damaged bytes."""
    delimiter = str(rng.choice([",", "\t", ";", "|"]))
    rows = [[repr(float(value)) for value in row] for row in DENSE]
    if rng.random() < 0.7:
        rows.insert(0, [f"name {i}" for i in range(5)])
    for _ in range(rng.integers(0, 4)):
        row = rows[rng.integers(len(rows))] if rng.random() < 0.5 else rows[0]
        row[rng.integers(5)] = str(CELLS[rng.integers(len(CELLS))])
    data = "\n".join(map(delimiter.join, rows)).encode("utf-8", "surrogatepass")
    return damage(data, rng) if rng.random() < 0.4 else data


def frame(kind):
    """A maker of damaged files that another library writes."""

    def make(rng):
        import polars

        file, table = io.BytesIO(), polars.DataFrame(DENSE)
        table.write_parquet(file) if kind == "parquet" else table.write_ipc(file)
        return damage(file.getvalue(), rng)

    return make


def packed(rng):
    """A compressed text, damaged before or after."""
    content = gzip.compress(text(rng), mtime=0)
    return damage(content, rng) if rng.random() < 0.5 else content


MAKERS = {"npy": npy, "npz": npz, "csv": text, "tsv": text, "csv.gz": packed}
MAKERS |= {"parquet": frame("parquet"), "arrow": frame("arrow")}


def attempt(seed, folder):
    """Make the file of a seed and run a command on it; return what is wrong, or nothing."""
    from specsel.cli import main

    rng = np.random.default_rng(seed)
    suffix = str(rng.choice([*MAKERS], p=[0.2, 0.2, 0.3, 0.1, 0.1, 0.05, 0.05]))
    path = Path(folder) / f"{seed}.{suffix}"
    path.write_bytes(MAKERS[suffix](rng))
    command = [*COMMANDS[rng.integers(len(COMMANDS))], str(path)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main.main(command)
        except BaseException:
            code = traceback.format_exc()
    path.unlink()
    return fault(code, out.getvalue(), err.getvalue()) and f"{command}\n{code}\n{err.getvalue()}"


def fault(code, out, err):
    """Whether a command did anything but give a result, or refuse its input in one line."""
    lines = err.splitlines()
    marked = all(line.startswith("specsel: ") for line in lines)
    raw = any(ord(character) < 32 and character != "\n" for character in out + err)
    if code == 2:
        return len(lines) != 1 or not marked or out != ""
    return code not in (0, 1) or not marked or out == "" or raw


def main(count, seed=0):
    """Try so many files; print the seed of each, what fails, and the counts."""
    faulthandler.enable()
    with contextlib.suppress(ImportError):  # a file may claim to hold more than there is memory
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, resource.RLIM_INFINITY))
    # A warning of the package becomes a line; any other would be printed as it is.
    warnings.simplefilter("default")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            print(f"\r{number}", end="", flush=True)
            wrong = attempt(number, folder)
            if wrong:
                failures += 1
                print(f": {wrong}", flush=True)
    print(f"\r{count} files, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
