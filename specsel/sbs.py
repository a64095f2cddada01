from specsel.bootstrap import intervals
