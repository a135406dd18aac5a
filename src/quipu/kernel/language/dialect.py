"""Dialects of OpenAI's protocol, found out by a server's refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from quipu.kernel.language.prompt import Turn, schema

if TYPE_CHECKING:
    from pydantic import BaseModel

_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Features that a server understands.

    ``json_schema``: it holds answers to a JSON schema. ``temperature``: it accepts a temperature.
    ``old_ceiling``: the longest answer is called ``max_tokens``; servers that do not know the newer name
    ignore it, and an answer without a ceiling could cost anything, so the old one is tried first.
    """

    json_schema: bool = True
    temperature: bool = True
    old_ceiling: bool = True

    def request(
        self, turns: Sequence[Turn], *, shape: type[BaseModel] | None, answer_tokens: int
    ) -> dict[str, Any]:
        """Return the arguments of a request."""
        asked: dict[str, Any] = {
            "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
            "max_tokens" if self.old_ceiling else "max_completion_tokens": answer_tokens,
        }
        if self.temperature:
            asked["temperature"] = 0
        if self.json_schema and shape is not None:
            named = {"name": _UNFIT.sub("_", shape.__name__)[:64], "schema": schema(shape)}
            asked["response_format"] = {"type": "json_schema", "json_schema": named}
        return asked

    def lesser(self, refusal: str, *, shaped: bool) -> Self | None:
        """Return the dialect to try after a refusal, by its words; None if it is not about the dialect.

        Servers name an argument that they do not take, except the schema, of which they complain in all ways;
        so after any other refusal we try once more without it. The schema is in the prompt, too.
        """
        if self.old_ceiling and "max_completion_tokens" in refusal:
            return replace(self, old_ceiling=False)
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        return replace(self, json_schema=False) if self.json_schema and shaped else None
