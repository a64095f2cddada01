"""Random trials that run in parallel. `positivity` owns this room.

experiments  the trials, compiled: one function for every experiment
tails        the public `positivity.hoeffding_tail` and `positivity.norm_tail`
packed       leading eigenpairs of packed symmetric matrices, and counts of eigenvalues
memory       whether there is enough for as many trials as run at once
streams      random numbers that depend on nothing but a key and a place

`positivity` uses `experiments`, `tails`, `streams` and `memory`.
"""
