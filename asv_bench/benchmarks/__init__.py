"""Benchmarks, arranged as the package is: a file for every algorithm, and one for a room.

``data`` measures the passes of ``_data``, ``startup`` imports and first calls. ``bases`` holds
what several algorithms measure alike, ``common`` the functions that several files share. The
folder stays flat: asv names a benchmark ``file.Class.method``. A file imports modules, and no
class with benchmarks from another file, for asv would count them twice.

What needs more than 1 GiB or 10 s runs only with ``SPECSEL_BENCH=full`` in the environment, at the
sizes for which a bar is stated; otherwise the same benchmarks run on smaller data.
"""
