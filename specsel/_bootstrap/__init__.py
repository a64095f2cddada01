"""Intervals for the similarities of all pairs of features. `sbs` owns this room.

intervals  the public `sbs.intervals`
features   features scaled for comparison, dense and sparse
resamples  similarities of all pairs in every resample; quantiles of them
jackknife  how skew a similarity is when samples are left out
ends       where the ends of BCa and percentile intervals lie among the resampled values
number     how many resamples are enough

`sbs` uses `intervals` alone.
"""
