"""The bundled model, loaded once for all tests of this directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.stored import find_model


@pytest.fixture(scope="session")
def bundled() -> LocalEmbedder:
    return LocalEmbedder(find_model("all-MiniLM-L6-v2", home=Path("nowhere")))
