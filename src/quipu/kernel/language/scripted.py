"""A language model that says what a test has written down for it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel

from quipu.errors import LanguageFailed, QuipuError
from quipu.kernel.language import answer
from quipu.kernel.language.answer import Send
from quipu.kernel.language.model import Reply, Shape
from quipu.kernel.language.prompt import Turn, check_purpose

Answer: TypeAlias = str | BaseModel | Mapping[str, object] | QuipuError


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """One request to a ``ScriptedLLM``: what for, in which shape (None: free words), and every turn."""

    purpose: str
    shape: type[BaseModel] | None
    turns: Sequence[Turn]

    @property
    def text(self) -> str:
        """Text that the model was given last: the fenced text, or why its answer came back."""
        return self.turns[-1].content


class ScriptedLLM:
    """A language model that gives the ``answers`` in order, or what a function of ``ScriptedCall`` returns.

    An answer is a text, a pydantic value or a mapping (both are said as JSON), or an error to be raised. It
    is read, checked and sent back once as a real one's. A script that has ended fails with
    ``LanguageFailed``. ``calls`` holds every request.
    """

    def __init__(
        self, answers: Iterable[Answer] | Callable[[ScriptedCall], Answer] = (), *, name: str = "scripted"
    ) -> None:
        self.name = name
        self.calls: list[ScriptedCall] = []
        self._answer = answers if callable(answers) else _in_order(answers)

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:
        """Return the next answer as a valid ``shape``. See ``Language``."""
        send = self._sender(check_purpose(purpose), shape)
        return await answer.structured(send, instructions=instructions, text=text, shape=shape)

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:
        """Return the next answer in free words. See ``Language``."""
        send = self._sender(check_purpose(purpose), None)
        return await answer.say(send, instructions=instructions, text=text)

    async def aclose(self) -> None:
        """Do nothing: there is nothing to release."""

    def _sender(self, purpose: str, shape: type[BaseModel] | None) -> Send:
        async def send(turns: Sequence[Turn]) -> Reply:
            self.calls.append(ScriptedCall(purpose, shape, tuple(turns)))
            return Reply(_said(self._answer(self.calls[-1])))

        return send


def _in_order(answers: Iterable[Answer]) -> Callable[[ScriptedCall], Answer]:
    left = deque(answers)

    def following(call: ScriptedCall) -> Answer:
        if not left:
            raise LanguageFailed(
                f"The script has no answer left for {call.purpose!r}.", hint="Write one more."
            )
        return left.popleft()

    return following


def _said(answer: Answer) -> str:
    if isinstance(answer, QuipuError):
        raise answer
    if isinstance(answer, BaseModel):
        return answer.model_dump_json()
    return answer if isinstance(answer, str) else json.dumps(answer)
