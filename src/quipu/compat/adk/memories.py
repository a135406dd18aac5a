"""Memory of ADK: events and added memories of a user in an app, found by recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final
from uuid import uuid4

from quipu.compat.adk.events import PAGE, Place, message_of, plain, text_of
from quipu.compat.face import AsyncFace
from quipu.errors import BadInput, NotFound

_entries: Any = import_module("google.adk.memory.memory_entry")
_memory: Any = import_module("google.adk.memory.base_memory_service")
_types: Any = import_module("google.genai.types")

_MOST_ASKED: Final = 10_000  # characters
_MOST_FOUND: Final = 10
_NO_SESSION: Final = "__unknown_session_id__"


class QuipuMemoryService(AsyncFace, _memory.BaseMemoryService):
    """Memory of ADK: what was said in sessions, and what else was added, found by recall.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the service opened itself it closes (``close``, or ``async with``).
    """

    async def add_session_to_memory(self, session: Any) -> None:
        """Take in the events of a session; those that are there already are passed over."""
        await self._import(Place(session.app_name, session.user_id, session.id), session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Take in some events of a session; those that are there already are passed over."""
        await self._import(Place(app_name, user_id, session_id or _NO_SESSION), events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[Any],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Take in memories as they are worded, all of them or none."""
        place = Place(app_name, user_id, "-")
        puts: list[dict[str, Any]] = []
        for one in memories:
            id_ = one.id or str(uuid4())
            about = {**(custom_metadata or {}), **one.custom_metadata}
            known = {"memory_id": id_, "agent_id": one.author, "time": one.timestamp, "app_id": app_name}
            puts.append(
                {
                    "do": "put",
                    "path": place.memories,
                    "key": id_,
                    "value": {"text": text_of(one.content), "content": plain(one.content)},
                    "metadata": {**about, **{name: said for name, said in known.items() if said is not None}},
                    "user": user_id,
                    "index": ["text"],
                }
            )
        for start in range(0, len(puts), PAGE):
            await self._do("documents.batch", puts[start : start + PAGE])

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any:
        """Find what answers a query among what a user said and was told in an app, the best first."""
        if not query.strip():
            return _memory.SearchMemoryResponse()
        hits = await self._do(
            "recall", query[-_MOST_ASKED:], user=user_id, filter={"app_id": app_name}, limit=_MOST_FOUND
        )
        return _memory.SearchMemoryResponse(memories=[_found(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget an event, which is then not taken in again, or a memory that was added."""
        if not memory_id:
            return
        try:
            await self._do("documents.delete", Place(app_name, user_id, "-").memories, memory_id)
        except NotFound:
            await self._do("forget", user=user_id, message=memory_id, confirm=True)

    async def _import(
        self, place: Place, events: Sequence[Any], metadata: Mapping[str, object] | None = None
    ) -> None:
        """Take in events that say something, but for what was forgotten."""
        told = [one for one in events if one.content and one.content.parts and not one.partial]
        messages = [message_of(place, one, metadata) for one in told]
        report = await self._do("import_messages", messages)
        if refused := [one for one in report.refused if one.field != "id"]:
            raise BadInput(refused[0].reason, field=refused[0].field)


def _found(hit: Any) -> Any:
    """Return a memory that came back as an entry: the words that answer, and whose they are."""
    about = dict(hit.metadata)
    about.pop("app_id", None)
    id_ = about.pop("memory_id", None) or hit.source.message
    agent, told = about.pop("agent_id", None), about.pop("time", None)
    is_user = agent in (None, "user")
    content = _types.Content(role="user" if is_user else "model", parts=[_types.Part(text=hit.text)])
    return _entries.MemoryEntry(
        content=content,
        custom_metadata=about,
        id=id_,
        author=agent or "user",
        timestamp=told or hit.happened_at.astimezone().replace(tzinfo=None).isoformat(),
    )
