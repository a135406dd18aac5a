"""Chat stores and a memory block of LlamaIndex, over documents and messages.

from quipu.compat.llama_index import DBChatStore, MemoryBlock

memory = Memory.from_defaults(
    session_id="chat-17",
    chat_store=DBChatStore(space="desk"),
    memory_blocks=[MemoryBlock(space="desk", user="ana")],
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from threading import Lock
from time import time_ns
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from pydantic import BaseModel, PrivateAttr

from quipu.compat.exact import data_of, put_of
from quipu.compat.face import AcloseFace, BlockingFace, Call, Face, Steps

if TYPE_CHECKING:
    from quipu import AsyncMemory, Memory

_core: Any = import_module("llama_index.core.memory.memory")
_stores: Any = import_module("llama_index.core.storage.chat_store")
BaseChatStore: Any = _stores.BaseChatStore
AsyncDBChatStore: Any = _core.AsyncDBChatStore
BaseMemoryBlock: Any = _core.BaseMemoryBlock
ChatMessage: Any = _core.ChatMessage
MessageStatus: Any = _core.MessageStatus

_PAGE: Final = 1_000
_CONTEXT: Final = 3
_LONGEST: Final = 10_000


class _Order:
    """Numbers that grow with time, and with each call of this process whatever its clock does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = 0

    def take(self, count: int) -> int:
        """Return the first of so many numbers."""
        with self._lock:
            first = max(time_ns(), self._next)
            self._next = first + count
            return first


_ORDER: Final = _Order()


class _Chats:
    """Messages of chats as documents, one for each: every act is steps, so that both stores do the same."""

    def __init__(self, *, space: str, path: str, user: str | None) -> None:
        self._space = space
        self._base = path.strip("/").split("/")
        self._user = user

    def documents(
        self, key: str, *, status: Any = None, offset: int = 0, limit: int | None = None
    ) -> Steps[list[Any]]:
        """Return the documents of the messages of a chat, in order."""
        found: list[Any] = []
        while limit is None or len(found) < limit:
            rows = _PAGE if limit is None else min(_PAGE, limit - len(found))
            page = yield self._page(key, status, rows, offset + len(found))
            found += page
            if len(page) < rows:
                break
        return found

    def add(self, key: str, messages: Sequence[Any], status: Any) -> Steps[None]:
        """Add messages at the end."""
        yield from self._batch(self._puts(key, messages, status))

    def replace(self, key: str, messages: Sequence[Any], status: Any) -> Steps[None]:
        """Have the messages of a chat be these."""
        before = yield from self.documents(key)
        yield from self._batch([*_deletes(before), *self._puts(key, messages, status)])

    def remove(self, key: str, status: Any = None, *, oldest: int | None = None) -> Steps[list[Any]]:
        """Remove messages of a chat, and return them."""
        found = yield from self.documents(key, status=status, limit=oldest)
        yield from self._batch(_deletes(found))
        return _messages(found)

    def take(self, key: str, place: int) -> Steps[Any]:
        """Remove the message at a place, from the end if below 0, and return it; None if there is none."""
        while True:
            found = yield from self.documents(key)
            if not -len(found) <= place < len(found):
                return None
            one = found[place]
            (answer,) = yield self._call(_deletes([one]))
            if answer.removed:  # else somebody else took it meanwhile
                return _messages([one])[0]

    def archive(self, key: str, count: int) -> Steps[list[Any]]:
        """Archive the oldest messages of a chat that are active, and return them."""
        found = yield from self.documents(key, status=MessageStatus.ACTIVE, limit=count)
        yield from self._batch([_archived(one) for one in found])
        return _messages(found)

    def keys(self) -> Steps[list[str]]:
        """Return the keys of all chats."""
        found: list[Any] = []
        depth = len(self._base) + 1
        while len(found) % _PAGE == 0:
            page = yield self._paths(depth, len(found))
            if not page:
                break
            found += page
        return [one.path[-1] for one in found]

    def _puts(self, key: str, messages: Sequence[Any], status: Any) -> list[dict[str, Any]]:
        first, about = _ORDER.take(len(messages)), {"status": status.value}
        return [
            {"do": "put"}
            | put_of(
                [*self._base, key],
                f"{first + place:020d}-{uuid4().hex[:12]}",
                one.model_dump(mode="json"),
                text=one.content or "",
                user=self._user,
                metadata=about,
            )
            for place, one in enumerate(messages)
        ]

    def _batch(self, operations: Sequence[Mapping[str, Any]]) -> Steps[None]:
        for start in range(0, len(operations), _PAGE):
            yield self._call(operations[start : start + _PAGE])

    def _call(self, operations: Sequence[Mapping[str, Any]]) -> Call:
        return lambda memory: memory.documents.batch(operations, space=self._space)

    def _page(self, key: str, status: Any, limit: int, offset: int) -> Call:
        place, where = [*self._base, key], {} if status is None else {"status": status.value}
        return lambda memory: memory.documents.list(
            place, space=self._space, filter=where, order="key", limit=limit, offset=offset
        )

    def _paths(self, depth: int, offset: int) -> Call:
        return lambda memory: memory.documents.list_paths(
            self._base, depth=depth, space=self._space, limit=_PAGE, offset=offset
        )


class _Kept(Face, BaseModel):
    """A face that is a model of pydantic, which has to know what else stands in it."""

    _memory: Any = PrivateAttr()
    _owned: bool = PrivateAttr()
    _space: str = PrivateAttr()


class _Store(_Kept):
    """A store of chats."""

    _chats: _Chats = PrivateAttr()

    def __init__(
        self,
        memory: AsyncMemory | Memory | str | None = None,
        *,
        space: str = "default",
        path: str = "llama-index",
        user: str | None = None,
    ) -> None:
        BaseModel.__init__(self)
        Face.__init__(self, memory, space=space)
        self._chats = _Chats(space=space, path=path, user=user)


class ChatStore(_Store, BlockingFace, BaseChatStore):
    """A chat store of LlamaIndex, as ``ChatMemoryBuffer`` takes it: each message is a document.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    store opened itself it closes (``close``). Messages are kept letter for letter, secrets included.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex knows the class."""
        return "QuipuChatStore"

    def set_messages(self, key: str, messages: list[Any]) -> None:
        """Have the messages of a key be these."""
        self._follow(self._chats.replace(key, messages, MessageStatus.ACTIVE))

    def get_messages(self, key: str) -> list[Any]:
        """Return the messages of a key, in order."""
        return _messages(self._follow(self._chats.documents(key)))

    def add_message(self, key: str, message: Any) -> None:
        """Add a message at the end."""
        self._follow(self._chats.add(key, [message], MessageStatus.ACTIVE))

    def delete_messages(self, key: str) -> list[Any] | None:
        """Remove the messages of a key, and return them; None if there are none."""
        return self._follow(self._chats.remove(key)) or None

    def delete_message(self, key: str, idx: int) -> Any:
        """Remove the message at a place, from 0, and return it; None if there is none."""
        return self._follow(self._chats.take(key, idx))

    def delete_last_message(self, key: str) -> Any:
        """Remove the last message and return it; None if there is none."""
        return self._follow(self._chats.take(key, -1))

    def get_keys(self) -> list[str]:
        """Return all keys that have messages."""
        return self._follow(self._chats.keys())


class DBChatStore(_Store, AcloseFace, AsyncDBChatStore):
    """A chat store of LlamaIndex, as ``Memory`` takes it, else as ``ChatStore``; ``aclose`` closes it."""

    async def get_messages(
        self,
        key: str,
        status: Any = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[Any]:
        """Return the messages of a key with a status, in order; with None of any."""
        steps = self._chats.documents(key, status=status, limit=limit, offset=offset or 0)
        return _messages(await self._afollow(steps))

    async def count_messages(self, key: str, status: Any = MessageStatus.ACTIVE) -> int:
        """Return the number of messages of a key with a status."""
        return len(await self._afollow(self._chats.documents(key, status=status)))

    async def add_message(self, key: str, message: Any, status: Any = MessageStatus.ACTIVE) -> None:
        """Add a message at the end."""
        await self._afollow(self._chats.add(key, [message], status))

    async def add_messages(self, key: str, messages: list[Any], status: Any = MessageStatus.ACTIVE) -> None:
        """Add messages at the end."""
        await self._afollow(self._chats.add(key, messages, status))

    async def set_messages(self, key: str, messages: list[Any], status: Any = MessageStatus.ACTIVE) -> None:
        """Have the messages of a key be these."""
        await self._afollow(self._chats.replace(key, messages, status))

    async def delete_message(self, key: str, idx: int) -> Any:
        """Remove the message at a place, from 0, and return it; None if there is none."""
        return await self._afollow(self._chats.take(key, idx))

    async def delete_messages(self, key: str, status: Any = None) -> None:
        """Remove the messages of a key with a status; without one of any."""
        await self._afollow(self._chats.remove(key, status))

    async def delete_oldest_messages(self, key: str, n: int) -> list[Any]:
        """Remove the oldest messages that are active, and return them."""
        return await self._afollow(self._chats.remove(key, MessageStatus.ACTIVE, oldest=n))

    async def archive_oldest_messages(self, key: str, n: int) -> list[Any]:
        """Archive the oldest messages that are active, and return them."""
        return await self._afollow(self._chats.archive(key, n))

    async def get_keys(self) -> list[str]:
        """Return all keys that have messages."""
        return await self._afollow(self._chats.keys())


class MemoryBlock(_Kept, AcloseFace, BaseMemoryBlock):
    """A memory block of LlamaIndex: it observes what leaves the chat, and recalls what answers it.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    block opened itself it closes (``aclose``).
    """

    _user: str | None = PrivateAttr()
    _budget_tokens: int = PrivateAttr()

    def __init__(
        self,
        memory: AsyncMemory | Memory | str | None = None,
        *,
        space: str = "default",
        user: str | None = None,
        budget_tokens: int = 1_000,
        name: str = "memory",
        **fields: Any,
    ) -> None:
        BaseMemoryBlock.__init__(self, name=name, **fields)
        AcloseFace.__init__(self, memory, space=space)
        self._user = user
        self._budget_tokens = budget_tokens

    async def _aget(self, messages: list[Any] | None = None, **_: Any) -> str:
        """Return memories that answer the last messages; an empty text where nothing is known."""
        asked = "\n".join(one.content for one in (messages or [])[-_CONTEXT:] if one.content).strip()
        if not asked:
            return ""
        block = await self._do(
            "recall_block", asked[-_LONGEST:], budget_tokens=self._budget_tokens, user=self._user
        )
        return block.text

    async def _aput(self, messages: list[Any]) -> None:
        """Take messages in, in the session that they name."""
        taken = [_observed(one) for one in messages]
        if taken:
            await self._do("observe", taken, user=self._user)


def _messages(documents: Sequence[Any]) -> list[Any]:
    return [ChatMessage.model_validate(data_of(one)) for one in documents]


def _deletes(documents: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"do": "delete", "path": one.path, "key": one.key} for one in documents]


def _archived(document: Any) -> dict[str, Any]:
    """Return the operation that archives a message; what it says stays."""
    kept = {name: getattr(document, name) for name in ("path", "key", "value", "body", "user", "index")}
    return {"do": "put", **kept, "metadata": {"status": MessageStatus.ARCHIVED.value}, "verbatim": True}


def _observed(message: Any) -> dict[str, Any]:
    """Return a message as it is taken in: its session stands among its further arguments."""
    item = message.model_dump(mode="json")
    session = item["additional_kwargs"].pop("session_id", None)
    taken = {"item": item, "role": message.role.value, "content": message.content or ""}
    return taken if session is None else {**taken, "session": session}
