"""A notebook beside the sources that are known."""

from __future__ import annotations

import pytest
from notebook import NOTEBOOK

from quipu.app.imports import registry


@pytest.fixture(autouse=True)
def _notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SOURCES", (NOTEBOOK, *registry.SOURCES))
