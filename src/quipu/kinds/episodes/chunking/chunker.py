"""Choice of the reader of exchanges: a language model if one is configured, else the rules."""

from __future__ import annotations

from quipu.kinds.episodes.chunking.model import Chunker
from quipu.kinds.episodes.chunking.remote import RemoteChunker
from quipu.kinds.episodes.chunking.rules import RulesChunker
from quipu.kinds.plug import Context


def chunker_of(context: Context) -> Chunker:
    """Return the chunker for a job."""
    return RulesChunker() if context.language is None else RemoteChunker(context.language)
