"""Random trials in parallel, each with numbers of its own. `positivity` owns it.

trials   the trials, compiled: one function for every experiment
packed   leading eigenpairs of packed symmetric matrices
streams  random numbers that depend on a key and a place alone
"""
