"""What stands beside `qalpha`, which owns it.

diagnostics  the public `qalpha.gram` and `qalpha.relevance`
"""
