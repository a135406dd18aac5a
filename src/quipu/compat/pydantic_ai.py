"""Pydantic AI's store of conversations over a memory.

from quipu.compat.pydantic_ai import QuipuConversationStore

store = QuipuConversationStore(space="desk")
conversation = await store.load("chat-17") or Conversation(conversation_id="chat-17")
await store.save(await agent.run("What shall I cook?", conversation=conversation))

The log of a conversation is documents, letter for letter. What was said in it is messages of a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from quipu.compat.face import AsyncFace
from quipu.errors import NotFound, Outdated

if TYPE_CHECKING:
    from quipu import AsyncMemory, Memory

_store: Any = import_module("pydantic_ai.conversation_store")
_messages: Any = import_module("pydantic_ai.messages").ModelMessagesTypeAdapter
_records: TypeAdapter[Any] = TypeAdapter(_store.ConversationRecord)

_PAGE: Final = 1_000
_AS_IT_IS: Final[Mapping[str, Any]] = {"index": False, "verbatim": True}


class QuipuConversationStore(AsyncFace, _store.ConversationStore):
    """A store of conversations; what is said in them is recalled as other messages of the space are.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the store opened itself it closes (``close``, or ``async with``). ``path`` is where the
    log stands among the documents. ``user`` is whose the conversations are; if not given, their scope is.

    A conversation that is deleted takes its entries along, unless another one was forked from it: then they
    go with the last fork.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        path: str = "pydantic-ai",
        user: str | None = None,
    ) -> None:
        super().__init__(memory, space=space)
        self._path = path
        self._user = user

    async def read_record(self, conversation_id: str) -> Any:
        """Return the record of a conversation, None if there is none."""
        (standing,) = await self._get([self._record(conversation_id)])
        return None if standing is None else _record(standing)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[Any]:
        """Return the records, of a scope if one is named, the latest first."""
        matching = {} if scope is None else {"value.scope": scope}
        found = await self._listed("conversations", filter=matching, limit=limit)
        return sorted(map(_record, found), key=lambda one: one.updated_at, reverse=True)

    async def write_record(
        self, record: Any, *, new_entries: Sequence[Any] = (), expected_revision: str | None
    ) -> None:
        """Write a record over the expected revision, with the new entries of its history.

        Raises:
            ConversationConflict: Another revision stands, or the entry that it names is gone.
        """
        id_, source = record.conversation_id, record.forked_from
        known = [
            self._record(id_),
            self._pointer(record.head_id) if record.head_id is not None else None,
            self._record(source) if source is not None else None,
        ]
        standing, head, origin = await self._get(known)
        is_fork = standing is None and source is not None and record.head_id is not None
        has_head = head is not None or record.head_id in {None, *(one.id for one in new_entries)}
        if _revision(standing) != expected_revision or not has_head:
            raise _store.ConversationConflict(id_)
        sources = [] if origin is None else [*origin.value["sources"], source]
        value = {
            "scope": record.scope,
            "revision": record.revision,
            "sources": sources if standing is None else standing.value["sources"],
        }
        await self._batch(put for one in new_entries for put in self._puts(record, one))
        try:
            await self._do(
                "documents.put",
                **self._record(id_),
                value=value,
                body=_records.dump_json(record).decode(),
                user=self._whose(record),
                expected_version=0 if standing is None else standing.version,
                **_AS_IT_IS,
            )
        except (Outdated, NotFound) as error:
            await self._remove(id_, [one.id for one in new_entries])
            raise _store.ConversationConflict(id_) from error
        if is_fork:
            await self._refuse_lost_source(record)
        if said := [one for entry in new_entries if (one := _said(entry)) is not None]:
            await self._do("observe", said, session=id_, user=self._whose(record))

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Take a conversation away, and the entries and words of which no other one has need.

        Raises:
            ConversationConflict: Another revision stands, or none.
        """
        at = self._record(conversation_id)
        (standing,) = await self._get([at])
        if _revision(standing) != expected_revision:
            raise _store.ConversationConflict(conversation_id)
        try:
            await self._do("documents.delete", **at, expected_version=standing.version)
        except (Outdated, NotFound) as error:
            raise _store.ConversationConflict(conversation_id) from error
        for one in (conversation_id, *standing.value["sources"]):
            if not await self._is_needed(one):
                await self._remove(one, [entry.key for entry in await self._listed("entries", one)])
                await self._do("clear", one)

    async def read_entry(self, entry_id: str) -> Any:
        """Return an entry.

        Raises:
            KeyError: There is none with that id.
        """
        conversation = await self._conversation_of(entry_id)
        (found,) = await self._get([self._entry(conversation, entry_id)])
        if found is None:
            raise KeyError(entry_id)
        return _entry(found)

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[Any]:
        """Return the entries up to one, in order, or the last ``limit`` of them.

        Raises:
            KeyError: There is none with that id.
        """
        known: dict[str, Any] = {}
        history: list[Any] = []
        while head_id is not None and (limit is None or len(history) < limit):
            if head_id not in known:
                conversation = await self._conversation_of(head_id)
                known |= {one.key: one for one in await self._listed("entries", conversation)}
            history.append(_entry(known[head_id]))
            head_id = history[-1].parent_id
        return history[::-1]

    async def _refuse_lost_source(self, fork: Any) -> None:
        """Take back a fork of which the source was deleted meanwhile, for its entries may be gone.

        Whoever deletes a source looks for forks after it is gone, so one of both sees the other.
        """
        (source,) = await self._get([self._record(fork.forked_from)])
        if source is None:
            await self._do("documents.delete", **self._record(fork.conversation_id))
            raise _store.ConversationConflict(fork.conversation_id)

    async def _is_needed(self, conversation: str) -> bool:
        """Say if a conversation stands, or one that has its history from it."""
        (standing,) = await self._get([self._record(conversation)])
        forks = {"value.sources": {"contains": conversation}}
        return standing is not None or bool(await self._listed("conversations", filter=forks, limit=1))

    async def _conversation_of(self, entry_id: str) -> str:
        (found,) = await self._get([self._pointer(entry_id)])
        if found is None:
            raise KeyError(entry_id)
        return found.value

    def _whose(self, record: Any) -> str | None:
        return self._user or record.scope or None

    def _record(self, conversation: str) -> dict[str, Any]:
        return {"path": [self._path, "conversations"], "key": conversation}

    def _entry(self, conversation: str, entry_id: str) -> dict[str, Any]:
        return {"path": [self._path, "entries", conversation], "key": entry_id}

    def _pointer(self, entry_id: str) -> dict[str, Any]:
        return {"path": [self._path, "ids"], "key": entry_id}

    def _puts(self, record: Any, entry: Any) -> Iterable[Mapping[str, Any]]:
        """Return the operations that write an entry, and the conversation in which it is."""
        shared = {"do": "put", "user": self._whose(record), **_AS_IT_IS}
        at, body = (
            self._entry(record.conversation_id, entry.id),
            _messages.dump_json([entry.message]).decode(),
        )
        yield {**shared, **at, "value": {"parent": entry.parent_id}, "body": body}
        yield {**shared, **self._pointer(entry.id), "value": record.conversation_id}

    async def _remove(self, conversation: str, entries: Sequence[str]) -> None:
        places = [at for id_ in entries for at in (self._entry(conversation, id_), self._pointer(id_))]
        await self._batch({"do": "delete", **at} for at in places)

    async def _batch(self, operations: Iterable[Mapping[str, Any]]) -> None:
        every = list(operations)
        for start in range(0, len(every), _PAGE):
            await self._do("documents.batch", every[start : start + _PAGE])

    async def _get(self, places: Sequence[Mapping[str, Any] | None]) -> list[Any]:
        """Return documents; None for a place that is None, and for what is not there."""
        found = iter(await self._do("documents.batch", [{"do": "get", **at} for at in places if at]))
        return [next(found).document if at else None for at in places]

    async def _listed(self, *path: str, limit: int | None = None, **conditions: Any) -> list[Any]:
        """Return the documents below a path, those that changed last first."""
        every: list[Any] = []
        while limit is None or len(every) < limit:
            most = _PAGE if limit is None else min(_PAGE, limit - len(every))
            page = await self._do(
                "documents.list", [self._path, *path], limit=most, offset=len(every), **conditions
            )
            every += page
            if len(page) < most:
                break
        return every


def _revision(standing: Any) -> str | None:
    return None if standing is None else standing.value["revision"]


def _record(document: Any) -> Any:
    return _records.validate_json(document.body)


def _entry(document: Any) -> Any:
    (message,) = _messages.validate_json(document.body)
    return _store.ConversationEntry(id=document.key, parent_id=document.value["parent"], message=message)


def _said(entry: Any) -> dict[str, Any] | None:
    """Return the words of an entry as a message; None for calls of tools and their returns alone."""
    message = entry.message
    is_request = message.kind == "request"
    parts = [one for one in message.parts if one.part_kind == ("user-prompt" if is_request else "text")]
    texts = [text for part in parts for text in _texts(part.content)]
    if not any(text.strip() for text in texts):
        return None
    now = datetime.now(UTC)
    return {
        "id": entry.id,
        "role": "user" if is_request else "assistant",
        "content": "\n".join(texts),
        "metadata": {} if message.run_id is None else {"run_id": message.run_id},
        "time": min((parts[0] if is_request else message).timestamp, now),
    }


def _texts(content: Any) -> Iterable[str]:
    """Yield the texts of a prompt or an answer; files in it have none."""
    for part in (content,) if isinstance(content, str) else content:
        text = part if isinstance(part, str) else getattr(part, "content", None)
        if isinstance(text, str):
            yield text
