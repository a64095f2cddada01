"""Intervals for the similarities of all pairs of features. `sbs` owns it.

intervals  the public `sbs.intervals`: BCa and percentile intervals, and how many resamples
resamples  similarities in every resample, from dense and from sparse data
jackknife  how skew similarities are with a sample left out
"""
