"""What stands beside `qalpha`, which owns it.

The basis itself is updated in `_loop.ascent` or, step by step, in `qalpha.Energy.advance`.

diagnostics  the public `qalpha.gram` and `qalpha.relevance`
flat         parameter-free weights, roughly, of many samples
gap          the ascent of the gap criterion
noise        whether anything stands out from noise, asked before clusters are counted
whole        weights that maximise a quadratic form of the whole affinity
"""
