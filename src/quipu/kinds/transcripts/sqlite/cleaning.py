"""Texts of a file made ready for the database: what it cannot store is replaced, secrets are cut out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact


class Cleaning:
    """Cleans texts and counts the secrets in them, by kind."""

    def __init__(self, *, secrets: bool) -> None:
        self._secrets = secrets
        self.redacted: Counter[str] = Counter()

    def text(self, text: str | None, *, counted: bool = True) -> str | None:
        """The text as it is stored; not ``counted`` where the same text was counted elsewhere."""
        if text is None:
            return None
        text = clean(text).text
        if not self._secrets:
            return text
        found = redact(text)
        if counted:
            self.redacted.update(found.counts)
        return found.text

    def value(self, value: Any) -> Any:
        """A JSON value with all its texts cleaned, names too."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(one) for one in cast("list[Any]", value)]
            case Mapping():
                told = cast("Mapping[str, Any]", value)
                return {self.text(str(name)): self.value(one) for name, one in told.items()}
            case float() if value != value or value in (float("inf"), float("-inf")):
                return str(value)
            case _:
                return value
