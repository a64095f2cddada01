"""What numba leaves to its users: the same bits from every process, a sound cache, forks.

The same bits: see `separate_compiler`.

A sound cache: numba trusts the files of its cache. A file cut short or overwritten ends every
later run in a traceback, or runs what happens to stand there. A full disk ends a run that has just
compiled what it needs. Here a checksum seals every file, and whatever fails costs compiling.

Forks: see `check_not_forked`.
"""

import os
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

from specsel._input.messages import caller

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
