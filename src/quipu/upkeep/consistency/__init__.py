"""Consistency of everything that is kept: checked, never changed."""

from quipu.upkeep.consistency.service import Fault, examine

__all__ = ["Fault", "examine"]
