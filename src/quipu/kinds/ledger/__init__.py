"""The ledger: facts and assumptions that cannot be lost, silently changed or left unexplained."""
