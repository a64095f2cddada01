"""Benchmarks of specsel, for asv.

solve     full solves of every method, memory beyond X, and a solve of many features
passes    single passes over dense and sparse data, against a plain read and against scipy
streams   data in a file and on a Dask cluster
startup   imports, and the first call of a new process with an empty and with a full cache
exact     exact search: seconds, nodes, and the gap where time runs out
peers     selections judged by labels, against other packages and between criteria
common    data, ratios and new processes, for the files above

Benchmarks call what users call, so that they also run on earlier commits; what a commit lacks is
skipped. With ``SPECSEL_BENCH=full`` in the environment, large cases have the sizes for which a bar
is stated (up to 1 GiB and some minutes). Whatever is tracked is better if it is less, but for
`peers`, which counts wins and accuracy.
"""
