"""Whether everything that is kept fits together: looked at, never changed."""

from quipu.upkeep.consistency.service import Fault, examine

__all__ = ["Fault", "examine"]
