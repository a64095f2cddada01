"""The command line: ``specsel select`` ranks the features of a table.

Results go to stdout, messages of one line to stderr. Exit codes: 0 done, 1 done but not
converged, 2 refused, 130 interrupted.
"""

import argparse
import csv
import json
import math
import os
import re
import reprlib
import sys
import time
import warnings
from array import array
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

import specsel

DELIMITERS = ",\t;|"
MISSING = ("", "na")
COLUMNS = ("rank", "feature", "index", "weight", "selected")

BAR_WIDTH = 30
BLOCKS, RULE = " ▏▎▍▌▋▊▉█", "─"

INITS = ("continuation", "equal", "seeded", "random")
FILE_HELP = "CSV, TSV or .npy, samples as rows; without it, the built-in example"
EPILOG = """\
A first row of which at least half is not numbers is a header, and names the features. A first
column without a name then holds labels of the rows, and is left out.

example:
  specsel select measurements.csv -k 4 --top 10 --out ranking.csv
"""


def main(argv=None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : list of str, optional
        Arguments, those of the process by default.
    """
    try:
        parser = _parser()
        args = parser.parse_args(argv)
        if args.command is None:
            parser.print_help()
            return 2
        return _select(args)
    except SystemExit as end:  # help or version has been printed
        return end.code or 0
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except (ValueError, OSError, MemoryError) as error:
        _say(_reason(error))
        return 2


def _say(message):
    print("specsel:", " ".join(message.split()), file=sys.stderr)


def _reason(error):
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _write(text):
    try:
        print(_encodable(text), flush=True)
    except OSError as error:
        # What is still buffered would fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # its reader has read enough
            raise


def _encodable(text):
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)

    def _print_message(self, message, file=None):
        _write(message.rstrip())


def _parser():
    parser = _Parser(prog="specsel", description="Spectral feature selection.")
    parser.add_argument("--version", action="version", version=f"specsel {specsel.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    select = commands.add_parser(
        "select",
        help="rank the features of a table",
        description="Rank the features of a table: which carry the structure of the samples?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = select.add_argument
    add("file", metavar="FILE", nargs="?", type=Path, help=FILE_HELP)
    add("--method", choices=METHODS, default="qalpha", help="default qalpha")
    add("-k", type=int, default=3, help="number of clusters, not used by weighting (default 3)")
    add("--init", choices=INITS, default=INITS[0], help="only qalpha (default continuation)")
    add("--tol", type=float, default=1e-6, help="of the objective, only qalpha (default 1e-6)")
    add("--max-iter", type=int, default=200, metavar="N", help="only qalpha (default 200)")
    add("--seed", type=int, default=0, help="of random starts, only qalpha (default 0)")
    add("--top", type=int, default=20, metavar="N", help="rows to print (default 20)")
    add("--out", type=Path, metavar="CSV", help="write the ranking of all features to this file")
    add("--json", action="store_true", help="print one JSON object, all features included")
    return parser


def _qalpha(X, args):
    from specsel import qalpha

    return qalpha.solve(
        X, args.k, init=args.init, tol=args.tol, max_iter=args.max_iter, random_state=args.seed
    )


def _weighting(X, args):
    from specsel import weighting

    return weighting.solve(X)


METHODS = {"qalpha": _qalpha, "weighting": _weighting}
WITHOUT_K = {"weighting"}


def _select(args):
    _check_options(args)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        X, origin = _read(args.file)
        start = time.perf_counter()
        weights = METHODS[args.method](X, args)
        seconds = time.perf_counter() - start
    summary = _summary(args, weights) | {"seconds": seconds}
    if args.out:
        _save(args.out, _ranking(weights))
    for warning in caught:
        _say(f"warning: {warning.message}")
    if args.json:
        _write(json.dumps(summary | {"ranking": list(_ranking(weights))}))
    else:
        top = list(islice(_ranking(weights), args.top))
        _write("\n".join(_lines(origin, summary, top)))
    return 0 if weights.converged else 1


def _check_options(args):
    if args.top < 1:
        raise ValueError(f"--top {args.top}: must be at least 1")
    if args.seed < 0:
        raise ValueError(f"--seed {args.seed}: must be at least 0")
    if args.out and (args.out.is_dir() or not args.out.parent.is_dir()):
        raise ValueError(f"--out {args.out}: is not a file in an existing folder")
    if args.out and args.file and args.out.exists() and args.out.samefile(args.file):
        raise ValueError(f"--out {args.out}: is the file to be read")


class _Table(NamedTuple):
    """Values with named columns, as much of a data frame as the solvers look at."""

    columns: list
    values: np.ndarray

    def to_numpy(self):
        return self.values


def _read(path):
    """Return the samples x features, named if they have names, and a word on what they are."""
    if path is None:
        from specsel import datasets

        data = datasets.example()
        return _Table(data.names, data.X), "no FILE given, the built-in example"
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is a directory or a pipe; a file is needed")
    if path.suffix.lower() == ".npy":
        return _read_npy(path), str(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            X, names = _read_text(file, path.suffix.lower())
        except UnicodeDecodeError:
            raise ValueError(f"{path}: is not text in UTF-8; CSV, TSV or .npy is needed") from None
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{path}: {error}") from None
    return (_Table(names, X), str(path)) if names else (X, f"{path}, no header")


def _read_npy(path):
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except ValueError:
        raise ValueError(f"{path}: is not a complete .npy file of numbers") from None


def _read_text(file, suffix):
    delimiter = "\t" if suffix == ".tsv" else _delimiter(file)
    first = next(filter(None, csv.reader(file, delimiter=delimiter)), None)
    if first is None:
        raise ValueError("is empty")
    names, labels = None, 0
    if sum(_number(cell) is None for cell in first) >= len(first) / 2:
        names = [" ".join(cell.split()) or f"column {i}" for i, cell in enumerate(first, 1)]
        labels = int(len(first) > 1 and not first[0].strip())
    else:
        file.seek(0)
    try:
        X = np.loadtxt(file, delimiter=delimiter, quotechar='"', comments=None, ndmin=2)
        complete = not labels and X.shape[1] == len(first) and len(X) > 0
    except ValueError:
        complete = False
    if not complete:  # slower, but knows labels, missing values, and what is wrong where
        file.seek(0)
        X = _parse(csv.reader(file, delimiter=delimiter), names, len(first), labels)
    return X, names[labels:] if names else None


def _delimiter(file):
    """Return the character that divides the first line most often, and go back to the start."""
    line = re.sub('"[^"]*"', "", next(filter(str.strip, file), ""))
    file.seek(0)
    return max(DELIMITERS, key=line.count)


def _parse(reader, names, width, labels):
    records = filter(None, reader)
    if names:
        next(records)
    values = array("d")
    for record in records:
        if len(record) != width:
            raise ValueError(
                f"line {reader.line_num}: has {len(record)} cells, the first row has {width}"
            )
        numbers = [_number(cell) for cell in record[labels:]]
        if None in numbers:
            column = labels + numbers.index(None)
            raise ValueError(
                f"column {reprlib.repr(names[column]) if names else column + 1}, "
                f"line {reader.line_num}: {reprlib.repr(record[column])} is not a number"
            )
        values.extend(numbers)
    if not values:
        raise ValueError("holds a header but no samples")
    return np.frombuffer(values).reshape(-1, width - labels)


def _number(cell):
    """The number in a cell, NaN where it is missing, None where it is something else."""
    if cell.strip().lower() in MISSING:
        return math.nan
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _summary(args, weights):
    """What JSON says before the ranking; null stands for an infinite gap."""
    return {
        "method": args.method,
        "n_samples": len(weights.basis),
        "n_features": len(weights.alpha),
        "k": None if args.method in WITHOUT_K else args.k,
        "objective": float(weights.objective),
        "gap": weights.gap if math.isfinite(weights.gap) else None,
        "selected": [row["feature"] for row in _ranking(weights) if row["selected"]],
        "n_iter": weights.n_iter,
        "n_passes": weights.n_passes,
        "converged": bool(weights.converged),
    }


def _ranking(weights):
    """Yield what is known of every feature, best first."""
    order, count = weights.ranking, len(weights.select())
    pairs = zip(order.tolist(), weights.alpha[order].tolist(), strict=True)
    for rank, (index, weight) in enumerate(pairs, 1):
        feature = weights.names[index] if weights.names else index
        yield dict(zip(COLUMNS, (rank, feature, index, weight, rank <= count), strict=True))


def _save(path, ranking):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(ranking)


def _lines(origin, summary, top):
    """Yield the lines of the text output."""
    n, count = summary["n_features"], len(summary["selected"])
    k = "" if summary["k"] is None else f", k = {summary['k']}"
    yield f"{origin}: {summary['n_samples']} samples x {n} features"
    yield (
        f"{summary['method']}{k}: objective {summary['objective']:.6g}, iterations "
        f"{summary['n_iter']}, passes {summary['n_passes']}, {summary['seconds']:.2f} s"
    )
    yield ""
    blocks = _encodable(BLOCKS + RULE) == BLOCKS + RULE
    width = max(7, *(len(str(row["feature"])) for row in top))
    yield f"   rank  {'feature':{width}}   weight"
    for row in top:
        mark = "*" if row["selected"] else " "
        bar = _bar(row["weight"] / top[0]["weight"], blocks)
        feature = f"{row['feature']!s:{width}}"
        yield f" {mark} {row['rank']:4}  {feature}  {row['weight']:7.4f}  {bar}".rstrip()
        if row["rank"] == count < n:
            yield " " + (RULE if blocks else "-") * (18 + width + BAR_WIDTH)
    if n > len(top):
        yield f"   and {n - len(top)} more"
    yield ""
    yield _verdict(n, count, summary["gap"])


def _bar(share, blocks):
    eighths = round(8 * BAR_WIDTH * max(share, 0.0))
    if not blocks:
        return "#" * (eighths // 8)
    return BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8].strip()


def _verdict(n, count, gap):
    if count == n:
        return "all features weigh the same: there is no gap"
    ratio = "infinitely many" if gap is None else f"{gap:.3g}"
    return f"{count} of {n} features above the gap (*): mean weight {ratio} times that of the rest"
