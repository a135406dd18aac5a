"""For tests of programs that use Quipu: time that stands still, and vectors without a model."""

from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.embedding.hashing import HashEmbedder

__all__ = ["FrozenClock", "HashEmbedder"]
