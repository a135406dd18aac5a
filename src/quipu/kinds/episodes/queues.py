"""The topics of the queue that episodes work on."""

from __future__ import annotations

from typing import Final

CHUNKER: Final = "memory_chunker"
EPISODES: Final = "episodic_memory"
EXTRACTION: Final = "episodes-extraction"
PROMPTS: Final = "prompt_queue"
HISTORY: Final = "chat_history"
