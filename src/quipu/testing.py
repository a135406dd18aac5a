"""For tests of programs that use Quipu: time that stands still, and models without weights or servers."""

from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.language.scripted import ScriptedLLM

__all__ = ["FrozenClock", "HashEmbedder", "ScriptedLLM"]
