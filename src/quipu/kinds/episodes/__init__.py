"""Conversations condensed into episodes that fade, return and remind (seed 003)."""
