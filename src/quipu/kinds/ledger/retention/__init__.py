"""Retention of the ledger: old sessions, expired values, the text of evidence and evidence itself go."""
