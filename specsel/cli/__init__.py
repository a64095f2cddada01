"""The command line. `main` runs it; a command is a `Command` of `common`.

main       the parser; turns every error into one line and an exit code
select     ranks the features of a table
subsets    path: the best few features of every size; stable: a stable principal subspace
reproduce  runs the papers' experiments again
info       prints versions, threads, the cache, and what to cite; compiles beforehand
common     options, those of the methods too (`OPTIONS`); files to read and to write
tables     reads tables of any kind, and does what options ask of their columns
report     writes a run as one HTML page
terminal   writes results to stdout, messages and progress to stderr
"""
