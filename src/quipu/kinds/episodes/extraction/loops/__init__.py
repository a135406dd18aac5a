"""Open loops: what was asked, promised, given to do or waited for, until it is resolved."""
