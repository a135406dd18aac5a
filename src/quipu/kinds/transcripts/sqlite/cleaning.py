"""Texts of a file made ready for the database: what it cannot store is replaced, secrets are cut out."""

from __future__ import annotations

from collections import Counter

from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact


class Cleaning:
    """Cleans texts and counts the secrets in them, by kind."""

    def __init__(self, *, secrets: bool) -> None:
        self._secrets = secrets
        self.redacted: Counter[str] = Counter()

    def text(self, text: str | None) -> str | None:
        """Return the text as it is stored."""
        if text is None:
            return None
        text = clean(text).text
        if not self._secrets:
            return text
        found = redact(text)
        self.redacted.update(found.counts)
        return found.text
