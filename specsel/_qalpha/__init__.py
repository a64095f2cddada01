"""What stands beside `qalpha`, which owns it.

diagnostics  the public `qalpha.gram` and `qalpha.relevance`
noise        whether anything stands out from noise, asked before clusters are counted
"""
