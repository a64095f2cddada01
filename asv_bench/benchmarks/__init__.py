"""Benchmarks, a module for every module of the package.

What needs more than 1 GiB or 10 s runs only with ``SPECSEL_BENCH=full`` in the environment, at the
sizes for which a bar is stated; otherwise the same benchmarks run on smaller data.
"""
