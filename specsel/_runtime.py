"""How compiled code and the machine under it are used: jit, forks, BLAS, memory, interrupts.

The compiled code of a kernel is cached by numba: in ``__pycache__`` beside the package, in the
user's cache folder if that is not writable, or in the folder that ``NUMBA_CACHE_DIR`` names.
Without any writable folder, and with ``SPECSEL_CACHE=0``, kernels are compiled in every process.
Whatever changes in the package or in numba, the code is compiled anew.

The budget of memory is what ``SPECSEL_MEMORY`` in the environment states, in bytes or as "8GiB",
and by default half of what is free.
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
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple, TypeVar, overload

# No "nnan" or "ninf": a NaN in the data must reach the check that reports it.
SAFE_FAST_MATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def jit(function: Function) -> Function: ...
@overload
def jit(
    *, parallel: bool = ..., helper: bool = ..., inline: bool = ...
) -> Callable[[Function], Function]: ...


def jit(
    function: Any = None, *, parallel: bool = False, helper: bool = False, inline: bool = False
) -> Any:
    """Compile a function when it is first called; every kernel of the package uses this.

    A `helper` is compiled into the kernels that call it, and is not called by Python. With
    `inline` the statements become part of the callers: for helpers with one caller, which are not
    compiled by themselves then.
    """
    if function is None:
        return partial(jit, parallel=parallel, helper=helper, inline=inline)
    import numba  # here: memory and interrupts are looked after where nothing is compiled, too

    options: dict[str, Any] = {"error_model": "numpy", "fastmath": SAFE_FAST_MATH}
    options |= {"nogil": True, "parallel": parallel, "inline": "always" if inline else "never"}
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": helper}
    compiler = _separate_compiler()
    if compiler is not None:
        options["pipeline_class"] = compiler
    kernel = numba.njit(**options)(function)
    is_kept = not helper and os.environ.get("SPECSEL_CACHE", "1") != "0"
    if is_kept and hasattr(kernel, "py_func"):
        try:
            kernel._cache = _kernel_cache()(function)
        except (RuntimeError, OSError):
            _warn_not_kept("no folder for it can be written to")
    return kernel


@cache
def _kernel_cache() -> Any:
    """Return numba's cache of compiled functions, with three gaps closed.

    numba compiles helpers into their callers, but looks for changes in the file of the caller
    alone: here code is current only if no file of the package has changed that may hold kernels.
    numba names code in an index before it is written, and two processes may give two codes one
    name: here every signature has a file of its own, which begins with its stamp. And what cannot
    be read or written ends no solve.
    """
    from numba import __version__
    from numba.core.caching import FunctionCache
    from numba.core.serialize import dumps

    class KernelCache(FunctionCache):
        def current(self) -> list[Path]:
            """Return the files that hold code of the sources as they are now."""
            files = Path(self.cache_path).glob(f"{self._impl.filename_base}.*.nbc")
            return [file for file in files if file.read_bytes().startswith(self._stamp)]

        @property
        def _stamp(self) -> bytes:
            return _digest(__version__, self._cache_file._source_stamp, _sources())

        def _place(self, signature: Any, codegen: Any) -> tuple[str, bytes]:
            """Return the file for a signature, and how it begins."""
            key = self._index_key(signature, codegen)
            name = f"{self._impl.filename_base}.{_digest(*key[:2]).hex()[:16]}.nbc"
            return os.path.join(self.cache_path, name), self._stamp + _digest(*key)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            target_context.refresh()
            path, begin = self._place(sig, target_context.codegen())
            with suppress(OSError, EOFError, pickle.UnpicklingError), open(path, "rb") as file:
                if file.read(len(begin)) == begin:
                    return self._impl.rebuild(target_context, pickle.load(file))
            return None

        def save_overload(self, sig: Any, data: Any) -> None:
            if not self._impl.check_cachable(data):
                return
            path, begin = self._place(sig, data.codegen)
            try:
                with self._cache_file._open_for_write(path) as file:
                    file.write(begin + dumps(self._impl.reduce(data)))
            except OSError as error:
                _warn_not_kept(str(error.strerror))

    return KernelCache


def cached_files(kernel: Any) -> list[Path]:
    """Return the files of the cache that hold code of a kernel as it is now."""
    current: list[Path] = getattr(kernel._cache, "current", list)()
    return current


# Parts of the package that hold no kernels.
WITHOUT_KERNELS = ("cli", "estimators", "papers", "plotting")


def _digest(*parts: Any) -> bytes:
    return sha256(repr(parts).encode()).digest()


@cache
def _sources() -> str:
    """Return a digest of all files of the package that may hold kernels, or what they call."""
    root = Path(__file__).parent
    files = [f for f in root.rglob("*.py") if f.relative_to(root).parts[0] not in WITHOUT_KERNELS]
    return sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


@cache
def _warn_not_kept(reason: str) -> None:
    warnings.warn(
        f"compiled code is not kept ({reason}): every process compiles anew, which takes seconds; "
        "let NUMBA_CACHE_DIR name a folder for it",
        stacklevel=3,
    )


# The kinds of linkage of functions that several modules may define: one copy serves all of them.
SHARED = ("linkonce_any", "linkonce_odr", "weak_any", "weak_odr")


@cache
def _separate_compiler() -> Any:
    """Return a compiler whose code calls its own copies of the functions it was compiled with.

    numba compiles a helper into every function that calls it, and then lets the copy that was
    loaded first stand in for all others. The copies were optimised for unlike callers and differ
    in last digits. With numba's own compiler a process that compiles finds other bits than one
    that loads from the cache: up to 1e-15 in the weights of sparse data, and in `sbs`.

    numba also optimises every helper and makes machine code of it, once for itself and again in
    all that compile it in, although only the outermost function ever runs. Here only that one
    gets machine code, which makes a first call up to three times shorter.

    This rests on the inside of numba, and a test fails where that changes. Code is compiled then
    as numba does by itself.
    """
    try:
        from llvmlite.binding import Linkage
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler

        shared = {Linkage[name] for name in SHARED}
    except (ImportError, KeyError):
        return None

    class SeparateLibrary(JITCodeLibrary):
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

    class InnerLibrary(JITCodeLibrary):
        """Code that callers compile in, without machine code of its own."""

        # numba would write where the machine code is.
        codegen: Any = SimpleNamespace(set_env=lambda name, environment: None)

        def finalize(self) -> None:
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalize_dynamic_globals()
            self._finalized = True

        def _set_compiled_object(self, value: bytes) -> None:
            self.__class__: Any = JITCodeLibrary  # an outermost function, from the cache
            self._set_compiled_object(value)

    class SeparateCompiler(Compiler):
        def compile_extra(self, function: Any) -> Any:
            if self.state.flags.no_cpython_wrapper:
                return super().compile_extra(function)
            codegen = self.state.targetctx.codegen()
            library = SeparateLibrary(codegen, function.__qualname__)
            library.enable_object_caching()
            self.state.library = library
            before = codegen.create_library
            codegen.create_library = partial(InnerLibrary, codegen)
            try:
                return super().compile_extra(function)
            finally:
                codegen.create_library = before

    return SeparateCompiler


# Whether this process was forked after its parent had run threads of OpenMP.
_fork = {"late": False}

# The library of numba that starts threads of OpenMP.
OPENMP = "numba.np.ufunc.omppool"


def check_not_forked() -> None:
    """Raise an error if this process was forked after its parent had run threads of OpenMP.

    GNU's OpenMP ends such a process at its next parallel loop, and a pool of processes waits for
    it for ever. Call this once before parallel kernels.
    """
    if _fork["late"]:
        raise RuntimeError(
            "this process was forked from one that ran threads of OpenMP, and would die in its "
            'first solve; start processes by "spawn" or "forkserver": '
            'multiprocessing.get_context("spawn")'
        )


def _note_fork() -> None:
    numba = sys.modules.get("numba")
    if numba is None:
        return
    with suppress(ValueError):  # no threads have run yet
        _fork["late"] = _fork["late"] or numba.threading_layer() == "omp"


def _forked_before() -> bool:
    """Return whether the parent of this process ran threads of OpenMP, and forked it then.

    Nothing but numba's library knows: it keeps the number of its process among its variables.
    """
    numbers = array("i")
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
            if str(sys.modules[OPENMP].__file__) in line and " rw" in line:
                first, last = (int(end, 16) for end in line.split()[0].split("-"))
                numbers.frombytes(ctypes.string_at(first, last - first))
    return os.getppid() in numbers and os.getpid() not in numbers


if sys.platform == "linux":  # elsewhere it is another OpenMP, which a fork does no harm
    os.register_at_fork(after_in_child=_note_fork)
    _fork["late"] = OPENMP in sys.modules and _forked_before()


# OpenBLAS, which the wheels of numpy and scipy bring, starts threads from 26 rows on, where LAPACK
# multiplies blocks. They wait for each other by spinning, and beside the threads of numba or of
# another program they wait for long: the eigenvalues of 200 rows take ten to ninety times the
# processor time that one thread takes. Up to 1,024 rows one thread is as fast.
LEAST_ROWS, MOST_ROWS = 26, 1024

# Modules that are linked with BLAS: numpy and scipy may each have a library of their own.
LINKED = ("numpy.linalg._umath_linalg", "scipy.linalg.cython_lapack")

# What OpenBLAS calls the functions that get and set the number of threads, by how it is built.
NAMES = [
    f"{begin}openblas_{{}}_num_threads{end}"
    for begin, end in product(("scipy_", ""), ("64_", "", "_64"))
]

Pool = tuple[Callable[[], int], Callable[[int], None]]

# The numbers of threads that each caller of `one_thread` found; the first are to be restored.
_before: list[tuple[int, ...]] = []
_lock = threading.Lock()


@contextmanager
def one_thread(size: int = MOST_ROWS) -> Iterator[None]:
    """Let OpenBLAS use one thread inside, if more would not pay for matrices of this many rows.

    The number of threads belongs to the process. The last caller that leaves restores it. Other
    libraries than OpenBLAS are left as they are.
    """
    if not LEAST_ROWS <= size <= MOST_ROWS:
        yield
        return
    with _lock:
        _before.append(tuple(get() for get, _ in _pools()))
        _set_threads((1,) * len(_before[0]))
    try:
        yield
    finally:
        with _lock:
            before = _before.pop()
            if not _before:
                _set_threads(before)


def _set_threads(numbers: tuple[int, ...]) -> None:
    for (_, change), number in zip(_pools(), numbers, strict=True):
        change(number)


@cache
def _pools() -> list[Pool]:
    """Return the functions that get and set the number of threads, of every OpenBLAS."""
    pools: list[Pool] = []
    for module in LINKED:
        with suppress(ImportError, OSError, TypeError):
            library = ctypes.CDLL(importlib.import_module(module).__file__)
            known = [name for name in NAMES if hasattr(library, name.format("set"))]
            for name in known[:1]:
                pools.append((library[name.format("get")], library[name.format("set")]))
    return pools


UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}

# Larger budgets are no different.
LARGEST_BUDGET = 2**62


def budget() -> int:
    """Return how many bytes may be taken."""
    stated = stated_budget()
    return _free() // 2 if stated is None else stated


def stated_budget() -> int | None:
    """Return the bytes that `SPECSEL_MEMORY` states, at most `LARGEST_BUDGET`, or None."""
    text = os.environ.get("SPECSEL_MEMORY", "").strip()
    if not text:
        return None
    match = re.fullmatch(r"(\d+\.?\d*) *([KMGT]?)(i?)B?", text, re.IGNORECASE)
    size = 0
    if match:
        number, unit, binary = match.groups()
        scale = (1024 if binary else 1000) ** UNITS[unit.upper()]
        size = int(min(float(number) * scale, LARGEST_BUDGET))
    if size <= 0:
        raise ValueError(
            f"SPECSEL_MEMORY = {text!r}: must be a number of bytes above 0, such as 8GiB"
        )
    return size


def check_budget(what: str, size: float, advice: str) -> None:
    """Raise a `MemoryError` of one line if `what` would take more bytes than the budget.

    Call this before anything else is done, where so much is about to be allocated.
    """
    most = budget()
    if size > most:
        raise MemoryError(
            f"{what}: would take {readable(size)}, and the budget (SPECSEL_MEMORY) is "
            f"{readable(most)}; {advice}"
        )


class Need(NamedTuple):
    """What takes memory, how many bytes, and what to do where that is too much."""

    size: float
    what: str
    advice: str


def check_together(needs: Sequence[Need]) -> None:
    """Check the budget of all that is needed at the same time; an error names the largest."""
    _, what, advice = max(needs)
    beside = " and what is needed beside" if len(needs) > 1 else ""
    check_budget(what + beside, sum(need.size for need in needs), advice)


def readable(size: float) -> str:
    """Return a number of bytes in the unit that suits it.

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
    """Return the bytes that the machine, the container and the limits of the process leave."""
    known = [2**63]
    available = _number_in("/proc/meminfo", r"MemAvailable: *(\d+)")
    if available is not None:
        known.append(1024 * available)
    else:  # another system than Linux
        with suppress(AttributeError, OSError, ValueError):
            known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    most = _number_in("/sys/fs/cgroup/memory.max")
    taken = _number_in("/sys/fs/cgroup/memory.current")
    if most is not None and taken is not None:
        known.append(most - taken)
    pages = _number_in("/proc/self/statm")
    if pages is not None:
        import resource  # which other systems lack

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            known.append(most - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0, min(known))


def _number_in(path: str, pattern: str = r"(\d+)") -> int | None:
    """Return a number in a file, or None without the file or a number in it."""
    with suppress(OSError):
        found = re.search(pattern, Path(path).read_text(encoding="ascii"))
        return int(found[1]) if found else None
    return None


@contextmanager
def catch_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C in a list instead of raising it in the middle of compiled work.

    The work reads the list between its chunks and ends in good order. A second Ctrl-C is raised at
    once. Nested calls share the outermost list. Outside the main thread, where Python delivers no
    signals, the list stays empty.
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


_serial = threading.local()


@contextmanager
def serial() -> Iterator[None]:
    """Start no threads for whatever this thread does inside, neither numba's nor those of BLAS.

    For tasks that run beside others in threads of a scheduler: parallel kernels must not be called
    from several threads at once, for one of numba's threading layers ends the process then. The
    cut into blocks is the same, so the number of workers changes no bit.
    """
    before = is_serial()
    _serial.on = True
    try:
        with one_thread():
            yield
    finally:
        _serial.on = before


def is_serial() -> bool:
    """Return whether this thread must start no others."""
    return bool(getattr(_serial, "on", False))


def for_blocks(kernel: Function, n_blocks: int) -> Function:
    """Return a parallel kernel or, for one block and in serial tasks, the same without threads.

    A single block starts no threads: once awake, they wait for more work for a while and slow down
    everything else meanwhile.
    """
    return serial_version(kernel) if n_blocks == 1 or is_serial() else kernel


@cache
def serial_version(kernel: Any) -> Any:
    """Return a parallel kernel, compiled so that it starts no threads."""
    function = getattr(kernel, "py_func", kernel)
    copy = FunctionType(function.__code__, function.__globals__)
    copy.__qualname__ = f"{function.__qualname__}_serial"  # numba names the files after it
    return jit(copy)
