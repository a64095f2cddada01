"""The command line. `main` runs it; every command has a file of its own.

main       the parser; turns every error into one line and an exit code
select     ranks the features of a table
path       finds the best few features of every size
stable     removes features until a principal subspace is stable
reproduce  runs the papers' experiments again
info       prints versions, threads, the cache, and how to cite
aligned    what `select --method alignment` prints
chance     what `select` says last: whether there is more than chance
common     options and files that several commands share
tables     picks the reader of a file; made, shuffled and scaled tables
reading    what a user says of a file, and what a reader finds in it
texts      opens text: encodings, .gz, stdin
layout     finds delimiter, decimals, header and names of rows; asks where it may be either
cells      what a cell of text holds
delimited  reads CSV and TSV text
binary     reads .npy and sparse .npz files
libraries  reads Parquet, Arrow and Excel by other packages
stores     reads .h5ad and zarr; large arrays stay where they are
columns    finds the columns that a user names
missing    counts, fills or leaves out what is missing
doubts     names columns that may be identifiers or categories
citations  the five papers, and which method comes from which
outputs    writes results: CSV, TSV, JSON, Parquet; selected columns of the data
report     writes a run as one HTML page
page       what such pages are made of; `reproduce` writes one too
drawings   the pictures of a report
terminal   writes results to stdout, messages and progress to stderr
"""
