"""What numba leaves to its users: the same bits from every process, a sound cache, forks.

The same bits: see `separate_compiler`.

A sound cache: numba trusts the files of its cache. A file cut short or overwritten ends every
later run in a traceback, or runs what happens to stand there. A full disk ends a run that has just
compiled what it needs. Here a checksum seals every file, and whatever fails costs compiling.

Forks: see `check_not_forked`.
"""

import ctypes
import importlib
import os
import pickle
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

from specsel._validate import caller

FORKED = (
    "this process was forked from one that ran threads of OpenMP, and would die in its first "
    'solve; start processes by "spawn" or "forkserver": multiprocessing.get_context("spawn")'
)

# Whether this process was forked too late, and whether it has said that nothing can be cached.
_state = {"forked": False, "warned": False}


# The kinds of linkage of functions that several modules may define: one copy serves all of them.
SHARED = ("linkonce_any", "linkonce_odr", "weak_any", "weak_odr")


def separate_compiler() -> Any:
    """Return a compiler whose code calls its own copies of the functions it was compiled with.

    numba compiles a helper into every function that calls it, and then lets the copy that was
    loaded first stand in for all the others. The copies were optimised for unlike callers and
    differ in the last bits of what they compute. A result would depend on what else the process
    has compiled, or loaded from the cache, before.

    This rests on the inside of numba. Where a release of numba is made otherwise, this returns
    None, or code is compiled as numba does by itself.
    """
    try:
        from llvmlite.binding import Linkage
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler

        shared = {Linkage[name] for name in SHARED}
    except (ImportError, KeyError):
        return None

    class Separate(JITCodeLibrary):
        def _finalize_final_module(self) -> None:
            changed = []
            with suppress(AttributeError):
                for function in self._final_module.functions:
                    if not function.is_declaration and function.linkage in shared:
                        changed.append((function, function.linkage))
                        function.linkage = Linkage.private
            super()._finalize_final_module()  # makes the machine code
            for function, linkage in changed:  # callers compile in what they always did
                function.linkage = linkage

    class SeparateCompiler(Compiler):
        def compile_extra(self, function: Any) -> Any:
            with suppress(AttributeError, TypeError):  # else numba makes a library of its own
                library = Separate(self.state.targetctx.codegen(), function.__qualname__)
                library.enable_object_caching()
                self.state.library = library
            return super().compile_extra(function)

    return SeparateCompiler


class SealedFiles(IndexDataCacheFile):
    """The files of one function: its index, and compiled code for every type of its arguments.

    A file begins with the checksum of the rest. With the code stands what it was compiled for:
    two processes that compile at once may give the same name to two files.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save compiled code."""
        super().save(key, (self._source_stamp, key, data))

    def load(self, key: Any) -> Any:
        """Return compiled code, None if there is none or it is damaged."""
        stamp, known, data = super().load(key) or (None, None, None)
        return data if (stamp, known) == (self._source_stamp, key) else None

    def _dump(self, thing: Any) -> bytes:
        content: bytes = super()._dump(thing)
        return sha256(content).digest() + content

    def _load_data(self, name: str) -> Any:
        return _unsealed(Path(self._data_path(name)).read_bytes())

    def _load_index(self) -> dict[Any, str]:
        """Return the names of the files with code; none if the index is old or damaged."""
        version = pickle.dumps(self._version, protocol=-1)
        try:
            content = Path(self._index_path).read_bytes()
        except OSError:
            return {}
        found = _unsealed(content[len(version) :]) if content.startswith(version) else None
        stamp, names = found or (None, {})
        return names if stamp == self._source_stamp else {}


def _unsealed(content: bytes) -> Any:
    """Return what was saved, or None if it is not whole."""
    size = sha256().digest_size
    if sha256(content[size:]).digest() != content[:size]:
        return None
    try:
        return pickle.loads(content[size:])
    except Exception:  # another version of a package that the code was pickled with
        return None


class Cache(FunctionCache):
    """A cache that never fails: what it cannot load is compiled, what it cannot save is lost."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        files = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = SealedFiles(self._cache_path, *files)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, None if there is none that works."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # code that is whole but that this numba cannot build
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code, or warn once that it cannot be kept."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not _state["warned"]:
                _state["warned"] = True
                warnings.warn(
                    f"compiled code cannot be cached in {self._cache_path}: {error.strerror}; "
                    "it will be compiled again, or set NUMBA_CACHE_DIR to another folder",
                    stacklevel=caller(),
                )


def add_cache(kernel: Any, function: Callable[..., Any]) -> None:
    """Keep what a function compiles to on disk, if numba finds a folder that it may write to."""
    try:
        kernel._cache = Cache(function)
    except (RuntimeError, OSError):
        return


def check_not_forked() -> None:
    """Refuse to solve in a process that was forked after its parent had run threads.

    GNU's OpenMP ends such a process at its next parallel loop, and a pool of processes waits for
    it for ever. Whoever is about to run parallel kernels calls this once.
    """
    if _state["forked"]:
        raise RuntimeError(FORKED)


def _note_fork() -> None:
    try:
        layer = numba.threading_layer()  # type: ignore[attr-defined]
    except ValueError:  # no threads have run yet
        return
    _state["forked"] = _state["forked"] or layer == "omp"


if sys.platform == "linux":  # elsewhere it is another OpenMP, which a fork does no harm
    os.register_at_fork(after_in_child=_note_fork)


# No "nnan" or "ninf": a NaN in the data must reach the check that reports it.
SAFE_FAST_MATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

COMPILER = separate_compiler()

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def jit(function: Function) -> Function: ...
@overload
def jit(*, parallel: bool = ...) -> Callable[[Function], Function]: ...


def jit(function: Any = None, *, parallel: bool = False) -> Any:
    """Compile a function when it is first called; all kernels of the package go through here.

    The compiled code is cached on disk if some folder is writable, see `specsel._numba`.
    ``SPECSEL_CACHE=0`` in the environment turns the cache off.
    """
    if function is None:
        return partial(_compile, parallel=parallel)
    return _compile(function, parallel)


def _compile(function: Any, parallel: bool) -> Any:
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": SAFE_FAST_MATH,
        "parallel": parallel,
    }
    if COMPILER is not None:
        options["pipeline_class"] = COMPILER
    kernel = numba.njit(**options)(function)
    if os.environ.get("SPECSEL_CACHE", "1") != "0":
        add_cache(kernel, function)
    return kernel


# MERGED FROM _blas
# """One thread for BLAS where several cost time.
#
# OpenBLAS, which the wheels of numpy and scipy bring, wakes its threads for matrices of thirty
# rows already. They wait for each other by spinning, and beside the threads of numba or of another
# program they wait for long: the eigenvalues of 200 rows then take ten to ninety times the
# processor time that one thread takes. Other libraries are left as they are.
# """


# From 26 rows on, LAPACK multiplies blocks of matrices, which wakes threads. Up to 512 rows one
# thread is enough.
LEAST_ROWS, MOST_ROWS = 26, 512

# Modules that are linked with BLAS: numpy and scipy may each have a library of their own.
LINKED = ("numpy.linalg._umath_linalg", "scipy.linalg.cython_lapack")

# What OpenBLAS calls the functions that tell and set the number of threads, by how it is built.
NAMES = [
    f"{begin}openblas_{{}}_num_threads{end}"
    for begin, end in product(("scipy_", ""), ("64_", "", "_64"))
]

Pool = tuple[Callable[[], int], Callable[[int], None]]


class _State:
    """How many callers want one thread at the moment, and how many threads there were before."""

    lock = threading.Lock()
    callers = 0
    before: tuple[int, ...] = ()


@contextmanager
def one_thread(size: int = MOST_ROWS) -> Iterator[None]:
    """Let OpenBLAS use one thread inside, if matrices of this many rows would wake more in vain.

    The number of threads belongs to the process. The last caller who leaves restores it.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread(100):
    ...     values = np.linalg.eigvalsh(np.eye(100))
    """
    if not LEAST_ROWS <= size <= MOST_ROWS:
        yield
        return
    with _State.lock:
        if _State.callers == 0:
            _State.before = tuple(tell() for tell, _ in _pools())
            _set((1,) * len(_State.before))
        _State.callers += 1
    try:
        yield
    finally:
        with _State.lock:
            _State.callers -= 1
            if _State.callers == 0:
                _set(_State.before)


def _set(numbers: tuple[int, ...]) -> None:
    for (_, change), number in zip(_pools(), numbers, strict=True):
        change(number)


@cache
def _pools() -> list[Pool]:
    """The functions that tell and set the number of threads, of every library that has them."""
    found: list[Pool] = []
    for module in LINKED:
        with suppress(ImportError, OSError, TypeError):
            library = ctypes.CDLL(importlib.import_module(module).__file__)
            known = [name for name in NAMES if hasattr(library, name.format("set"))]
            for name in known[:1]:
                found.append((library[name.format("get")], library[name.format("set")]))
    return found


# MERGED FROM _input.memory
# """How much memory may be taken, and refusals of what would take more.
#
# The budget is what `SPECSEL_MEMORY` in the environment says, in bytes or as "8GiB", and by
# default half of what is free.
# """


UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}

# Larger budgets are no different.
LARGEST_BUDGET = 2**62

# Where the system is told, for all processes of a container, how much they may take.
GROUP = Path("/sys/fs/cgroup")


def budget() -> int:
    """Bytes that may be taken.

    Examples
    --------
    >>> budget() > 0
    True
    """
    stated = _stated()
    return _free() // 2 if stated is None else stated


def check_stated_budget() -> None:
    """Refuse a `SPECSEL_MEMORY` that is no size, even where nothing will need the budget."""
    _stated()


def _stated() -> int | None:
    """Bytes that the environment states, if it does; no more than a machine can count."""
    text = os.environ.get("SPECSEL_MEMORY", "").strip()
    if not text:
        return None
    found = re.fullmatch(r"(\d+\.?\d*) *([KMGT]?)(i?)B?", text, re.IGNORECASE)
    size = 0
    if found:
        number, unit, binary = found.groups()
        size = int(
            min(float(number) * (1024 if binary else 1000) ** UNITS[unit.upper()], LARGEST_BUDGET)
        )
    if size <= 0:
        raise ValueError(
            f"SPECSEL_MEMORY = {text!r}: must be a number of bytes above 0, such as 8GiB"
        )
    return size


def check_budget(what: str, size: float, advice: str) -> None:
    """Raise a `MemoryError` of one line if `what` would take more bytes than the budget.

    Whoever is about to allocate so much calls this first, before anything else is done.
    """
    most = budget()
    if size > most:
        raise MemoryError(
            f"{what}: would take {readable(size)}, and the budget (SPECSEL_MEMORY) is "
            f"{readable(most)}; {advice}"
        )


class Need(NamedTuple):
    """What takes memory, how many bytes of it, and what to do where that is too much."""

    size: float
    what: str
    advice: str


def check_together(needs: Sequence[Need]) -> None:
    """Check the budget of all that is held at the same time; an error names the largest."""
    _, what, advice = max(needs)
    beside = " and what is held beside" if len(needs) > 1 else ""
    check_budget(what + beside, sum(need.size for need in needs), advice)


def readable(size: float) -> str:
    """A number of bytes in the unit that suits it.

    Examples
    --------
    >>> readable(3 * 2**30), readable(1500)
    ('3 GiB', '1.46 KiB')
    """
    power = 0
    while size >= 1000 and power < 5:
        size, power = size / 1024, power + 1
    return f"{size:.3g} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power]}"


def _free() -> int:
    """Bytes that this process can still take: of the machine, its container and its limits."""
    known = [_of_machine(), _of_container(), _of_process()]
    return max(0, min(size for size in known if size is not None))


def _of_machine() -> int:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return 1024 * int(text.split("MemAvailable:")[1].split()[0])
    except (OSError, ValueError, IndexError):  # not every system tells
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 2**63


def _of_container() -> int | None:
    try:
        most, taken = (
            int((GROUP / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
    except (OSError, ValueError):  # no container, or one without a limit
        return None
    return most - taken


def _of_process() -> int | None:
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    if most == resource.RLIM_INFINITY:
        return None
    return most - pages * os.sysconf("SC_PAGE_SIZE")


# MERGED FROM _input.interrupts
# """Ctrl-C during compiled work, which looks for the signal only between its chunks."""


@contextmanager
def catch_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C in a list instead of raising it in the middle of compiled work.

    Whoever works looks into the list between chunks and ends in good order. A second Ctrl-C is
    raised at once. Nested calls share the outermost list. Outside the main thread, where Python
    delivers no signals, the list stays empty.
    """
    caught = getattr(signal.getsignal(signal.SIGINT), "caught", None)
    if caught is not None:
        yield caught
        return
    caught = []

    def collect(number: int, frame: Any) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    collect.caught = caught  # type: ignore[attr-defined]  # where a nested call finds it
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = signal.signal(signal.SIGINT, collect)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
