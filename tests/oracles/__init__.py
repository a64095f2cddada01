"""The papers' definitions written out: the truth that fast code is compared with."""
