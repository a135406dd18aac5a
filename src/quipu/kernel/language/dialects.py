"""The two dialects of servers, as values: how a request is written and where in its answer the words stand.

Nothing here talks to a server. ``OpenAI`` is ``/chat/completions``, ``Anthropic`` is ``/messages``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias, cast

from quipu.kernel.language.events import at, text_at
from quipu.kernel.language.model import Reply
from quipu.kernel.language.prompt import Turn, schema

if TYPE_CHECKING:
    from pydantic import BaseModel

Form = Literal["json_schema", "tools", "plain"]
"""How a server is asked for an answer in a shape: held to a schema, as a call of a tool, or in words only."""

FORMS: Final[tuple[Form, ...]] = ("json_schema", "tools", "plain")
DIALECTS: Final = ("openai", "anthropic")

Fields: TypeAlias = dict[str, Any]
_COUNTED: Final = (
    "input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
)  # fmt: skip
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")
_WHAT_FOR: Final = "Give the answer. Call it once."
# Servers that hold an answer to a schema refuse these words in it; we check what they say ourselves.
_BOUNDS: Final = frozenset((
    "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "default",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Dialect:
    """Features that a server understands.

    ``form``: how it is asked for a shape. ``temperature``: it accepts a temperature. ``stream``: it answers
    only in events, one after the other. ``old_ceiling``: the longest answer is called ``max_tokens``; servers
    that do not know the newer name ignore it, and an answer without a ceiling could cost anything, so the old
    one is tried first.
    """

    form: Form = "json_schema"
    temperature: bool = True
    stream: bool = False
    old_ceiling: bool = True

    def lesser(self, refusal: str, *, shaped: bool) -> Self | None:
        """Return the dialect to try after a refusal, by its words; None if it is not about the dialect.

        Servers name an argument that they do not take, except what holds the answer to a shape, of which they
        complain in all ways; so after any other refusal the next form is tried. The schema is in the prompt.
        """
        if self.old_ceiling and "max_completion_tokens" in refusal:
            return replace(self, old_ceiling=False)
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if not self.stream and "stream" in refusal:
            return replace(self, stream=True)
        return self.weaker() if shaped else None

    def weaker(self) -> Self | None:
        """Return the dialect with the next form; None after the last."""
        following = dict(pairwise(FORMS))
        return replace(self, form=following[self.form]) if self.form in following else None

    def _asked(self, shape: type[BaseModel] | None) -> Form:
        """Return the form for a shape; only an object can be the arguments of a tool."""
        if shape is None or (self.form == "tools" and schema(shape).get("type") != "object"):
            return "plain"
        return self.form

    def _common(self) -> Fields:
        return ({"temperature": 0} if self.temperature else {}) | ({"stream": True} if self.stream else {})


@dataclass(frozen=True, slots=True)
class OpenAI(_Dialect):
    """``/chat/completions``: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and most others."""

    path: ClassVar[str] = "/chat/completions"
    name: ClassVar[str] = "openai"

    def request(
        self, turns: Sequence[Turn], *, model: str, shape: type[BaseModel] | None, answer_tokens: int
    ) -> Fields:
        """Return the body of a request."""
        ceiling = "max_tokens" if self.old_ceiling else "max_completion_tokens"
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        fields: Fields = {"model": model, "messages": messages, ceiling: answer_tokens, **self._common()}
        form = self._asked(shape)
        if shape is not None and form == "json_schema":
            named = {"name": _name(shape), "schema": schema(shape)}
            fields["response_format"] = {"type": "json_schema", "json_schema": named}
        elif shape is not None and form == "tools":
            tool = {"name": _name(shape), "description": _WHAT_FOR, "parameters": schema(shape)}
            fields["tools"] = [{"type": "function", "function": tool}]
            fields["tool_choice"] = "required"  # some servers take only a word here, and there is one tool
        return fields

    def reply(self, document: object) -> Reply | None:
        """Return the words of an answer; None if it is no answer of this dialect."""
        choice = at(document, "choices", 0)
        if choice is None:
            return None
        ended = at(choice, "finish_reason")
        call = at(choice, "message", "tool_calls", 0, "function", "arguments")
        return Reply(
            _written(call) or _words(at(choice, "message", "content")),
            cut_off=ended == "length",
            refused=bool(at(choice, "message", "refusal")) or ended == "content_filter",
        )

    def used(self, document: object) -> int | None:
        """Return the tokens that the server counted; None if it does not count."""
        return _positive(at(document, "usage", "total_tokens"))


@dataclass(frozen=True, slots=True)
class Anthropic(_Dialect):
    """``/messages``: Anthropic, and the servers that speak as it does.

    Tools come first where nobody has tried the server: those that do not know of schemas ignore them.
    """

    path: ClassVar[str] = "/messages"
    name: ClassVar[str] = "anthropic"
    form: Form = "tools"

    def request(
        self, turns: Sequence[Turn], *, model: str, shape: type[BaseModel] | None, answer_tokens: int
    ) -> Fields:
        """Return the body of a request."""
        system = "\n\n".join(turn.content for turn in turns if turn.role == "system")
        said = [{"role": turn.role, "content": turn.content} for turn in turns if turn.role != "system"]
        fields: Fields = {"model": model, "system": system, "messages": said, "max_tokens": answer_tokens}
        fields |= self._common()
        form = self._asked(shape)
        if shape is not None and form == "json_schema":
            fields["output_config"] = {"format": {"type": "json_schema", "schema": closed(schema(shape))}}
        elif shape is not None and form == "tools":
            tool = {"name": _name(shape), "description": _WHAT_FOR, "input_schema": schema(shape)}
            fields |= {"tools": [tool], "tool_choice": {"type": "tool", "name": tool["name"]}}
        return fields

    def reply(self, document: object) -> Reply | None:
        """Return the words of an answer without its thinking; None if it is no answer of this dialect."""
        content = at(document, "content")
        if not isinstance(content, list):
            return None
        blocks = cast(list[object], content)
        calls = [at(one, "input") for one in blocks if at(one, "type") == "tool_use"]
        ended = at(document, "stop_reason")
        return Reply(
            _written(calls[0]) if calls else _words(blocks),
            cut_off=ended in ("max_tokens", "model_context_window_exceeded"),
            refused=ended == "refusal",
        )

    def used(self, document: object) -> int | None:
        """Return the tokens that the server counted, those of its cache included; None if it does not."""
        return _positive(sum(_positive(at(document, "usage", name)) or 0 for name in _COUNTED))


Dialect: TypeAlias = OpenAI | Anthropic


def dialect(name: str, form: Form | None) -> Dialect:
    """Return the dialect of a name, in a form if that is known."""
    plain: Dialect = Anthropic() if name == Anthropic.name else OpenAI()
    return plain if form is None else replace(plain, form=form)


def closed(node: Any) -> Any:
    """Return a schema in which objects take no other fields and nothing is bounded, as some servers want."""
    if isinstance(node, list):
        return [closed(one) for one in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    fields = cast(Fields, node)
    kept = {name: closed(value) for name, value in fields.items() if name not in _BOUNDS}
    if "properties" in kept:  # whose keys are names of ours, not words of the schema
        kept["properties"] = {name: closed(value) for name, value in fields["properties"].items()}
        kept["additionalProperties"] = False
    return kept


def _name(shape: type[BaseModel]) -> str:
    return _UNFIT.sub("_", shape.__name__)[:64]


def _positive(number: object) -> int | None:
    return number if isinstance(number, int) and number > 0 else None


def _written(arguments: object) -> str:
    """Return the arguments of a tool as text; some servers give them as an object."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)


def _words(content: object) -> str:
    """Return the text of a content: a text, or parts of which thinking is left out."""
    if isinstance(content, str):
        return content
    return "".join(_texts(cast(list[object], content))) if isinstance(content, list) else ""


def _texts(parts: Sequence[object]) -> Iterator[str]:
    for part in parts:
        if at(part, "type") == "text":
            yield text_at(part, "text")
