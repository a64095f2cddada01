"""The command line. `main` runs it; every command has a file of its own.

main       the parser, and what every error becomes
select     ranks the features of a table
path       the best few features of every size
stable     features that keep a principal subspace stable
reproduce  the papers' experiments
info       versions, threads and the cache
common     options and files that the commands share
tables     reads and writes tables
terminal   results to stdout, messages and progress to stderr
"""
