"""Sessions and a memory store of Strands Agents, over documents and messages.

from quipu.compat.strands import MemoryStore, session_manager

agent = Agent(
    session_manager=session_manager("chat-17", space="desk"),
    memory_manager=MemoryManager(stores=[MemoryStore("desk", space="desk")]),
)
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from quipu.compat.exact import data_of, put_of
from quipu.compat.face import AcloseFace, BlockingFace
from quipu.errors import NotFound, Outdated

if TYPE_CHECKING:
    from quipu import AsyncMemory, Memory

_PAGE: Final = 1_000
_USUAL: Final = 10
_LONGEST: Final = 10_000


def session_manager(
    session_id: str,
    memory: Memory | str | None = None,
    *,
    space: str = "default",
    path: str = "strands",
    user: str | None = None,
) -> Any:
    """Make a session manager of Strands whose sessions are kept here; the arguments are the repository's."""
    manager = import_module("strands.session.repository_session_manager").RepositorySessionManager
    repository = SessionRepository(memory, space=space, path=path, user=user)
    return manager(session_id=session_id, session_repository=repository)


class SessionRepository(BlockingFace):
    """A session repository of Strands: sessions, agents and messages are documents below a path of a space.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    repository opened itself it closes (``close``). Messages are kept letter for letter, secrets included, and
    recalled by their text.
    """

    def __init__(
        self,
        memory: Memory | str | None = None,
        *,
        space: str = "default",
        path: str = "strands",
        user: str | None = None,
    ) -> None:
        super().__init__(memory, space=space)
        self._base = path.strip("/").split("/")
        self._user = user

    def create_session(self, session: Any, **_: Any) -> Any:
        """Create a session, and return it.

        Raises:
            SessionException: It is there already.
        """
        try:
            self._put(self._at(session.session_id), "session", session.to_dict(), expected_version=0)
        except Outdated as error:
            raise _refused(f"Session {session.session_id} already exists") from error
        return session

    def read_session(self, session_id: str, **_: Any) -> Any:
        """Return a session; None if there is none."""
        data = self._get(self._at(session_id), "session")
        return data and _types().Session.from_dict(data)

    def delete_session(self, session_id: str, **_: Any) -> None:
        """Take a session away, with its agents and messages.

        Raises:
            SessionException: There is none.
        """
        place = self._at(session_id)
        if self._get(place, "session") is None:
            raise _refused(f"Session {session_id} does not exist")
        while page := self._blocking.documents.list(place, space=self._space, limit=_PAGE):
            gone = [{"do": "delete", "path": one.path, "key": one.key} for one in page]
            self._blocking.documents.batch(gone, space=self._space)

    def create_agent(self, session_id: str, session_agent: Any, **_: Any) -> None:
        """Create an agent in a session."""
        agent_id = _checked(session_agent.agent_id, "agent")
        self._put(self._at(session_id, "agents"), agent_id, session_agent.to_dict())

    def read_agent(self, session_id: str, agent_id: str, **_: Any) -> Any:
        """Return an agent of a session; None if there is none."""
        data = self._get(self._at(session_id, "agents"), _checked(agent_id, "agent"))
        return data and _types().SessionAgent.from_dict(data)

    def update_agent(self, session_id: str, session_agent: Any, **_: Any) -> None:
        """Change an agent of a session.

        Raises:
            SessionException: There is none.
        """
        before = self.read_agent(session_id, session_agent.agent_id)
        if before is None:
            raise _refused(f"Agent {session_agent.agent_id} in session {session_id} does not exist")
        session_agent.created_at = before.created_at
        self.create_agent(session_id, session_agent)

    def create_message(self, session_id: str, agent_id: str, session_message: Any, **_: Any) -> None:
        """Create a message of an agent."""
        place, key = self._message_at(session_id, agent_id, session_message.message_id)
        self._put(place, key, session_message.to_dict(), text=_text(session_message.to_message()))

    def read_message(self, session_id: str, agent_id: str, message_id: int, **_: Any) -> Any:
        """Return a message of an agent; None if there is none."""
        data = self._get(*self._message_at(session_id, agent_id, message_id))
        return data and _types().SessionMessage.from_dict(data)

    def update_message(self, session_id: str, agent_id: str, session_message: Any, **_: Any) -> None:
        """Change a message of an agent; one that is redacted is recalled by what stands in its place.

        Raises:
            SessionException: There is none.
        """
        before = self.read_message(session_id, agent_id, session_message.message_id)
        if before is None:
            raise _refused(f"Message {session_message.message_id} does not exist")
        session_message.created_at = before.created_at
        self.create_message(session_id, agent_id, session_message)

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **_: Any
    ) -> list[Any]:
        """Return the messages of an agent in order.

        Raises:
            SessionException: There is no such agent.
        """
        place, found = self._at(session_id, "messages", _checked(agent_id, "agent")), list[Any]()
        while limit is None or len(found) < limit:
            rows = _PAGE if limit is None else min(_PAGE, limit - len(found))
            at = offset + len(found)
            page = self._blocking.documents.list(place, space=self._space, order="key", limit=rows, offset=at)
            found += page
            if len(page) < rows:
                break
        if not found and self.read_agent(session_id, agent_id) is None:
            raise _refused(f"There is no agent {agent_id} in session {session_id}")
        return [_types().SessionMessage.from_dict(data_of(one)) for one in found]

    def create_multi_agent(self, session_id: str, multi_agent: Any, **_: Any) -> None:
        """Create the state of several agents in a session."""
        key = _checked(multi_agent.id, "agent")
        self._put(self._at(session_id, "multi_agents"), key, multi_agent.serialize_state())

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **_: Any) -> dict[str, Any] | None:
        """Return the state of several agents; None if there is none."""
        return self._get(self._at(session_id, "multi_agents"), _checked(multi_agent_id, "agent"))

    def update_multi_agent(self, session_id: str, multi_agent: Any, **_: Any) -> None:
        """Change the state of several agents.

        Raises:
            SessionException: There is none.
        """
        if self.read_multi_agent(session_id, multi_agent.id) is None:
            raise _refused(f"MultiAgent state {multi_agent.id} in session {session_id} does not exist")
        self.create_multi_agent(session_id, multi_agent)

    def _at(self, session_id: str, *names: str) -> list[str]:
        return [*self._base, _checked(session_id, "session"), *names]

    def _message_at(self, session_id: str, agent_id: str, message_id: object) -> tuple[list[str], str]:
        if not isinstance(message_id, int):
            raise ValueError(f"message_id=<{message_id}> | message id must be an integer")
        return self._at(session_id, "messages", _checked(agent_id, "agent")), f"{message_id:012d}"

    def _get(self, path: Sequence[str], key: str) -> dict[str, Any] | None:
        try:
            document = self._blocking.documents.get(path, key, space=self._space)
        except NotFound:
            return None
        return data_of(document)

    def _put(
        self,
        path: Sequence[str],
        key: str,
        data: Mapping[str, Any],
        *,
        text: str = "",
        expected_version: int | None = None,
    ) -> None:
        put = put_of(path, key, data, text=text, user=self._user)
        self._blocking.documents.put(**put, space=self._space, expected_version=expected_version)


class MemoryStore(AcloseFace):
    """A memory store of Strands: it searches all memory of a space.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. What the
    store opened itself it closes (``aclose``). What is added is a document. Messages are observed, and
    understood as all others are.
    """

    def __init__(
        self,
        name: str,
        memory: AsyncMemory | Memory | str | None = None,
        *,
        space: str = "default",
        user: str | None = None,
        session: str | None = None,
        path: str = "strands-memories",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: Any = None,
    ) -> None:
        _check_most(max_search_results)
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        super().__init__(memory, space=space)
        self._user = user
        self._session = session or uuid4().hex
        self._path = path

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the memories that answer a query, the best first."""
        most = (options or {}).get("max_search_results")
        _check_most(most)
        if not query.strip():
            return []
        limit = most or self.max_search_results or _USUAL
        asked = query[-_LONGEST:]
        hits = await self._do("recall", asked, user=self._user, limit=limit)
        entry = import_module("strands.memory.types").MemoryEntry
        return [entry(content=hit.text, metadata=_about(hit)) for hit in hits]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Add a memory, and return its id; the same one again is that one."""
        self._check_writable()
        if not content.strip():
            raise ValueError("The content is empty.")
        written = await self._do(
            "documents.put",
            self._path,
            sha256(content.strip().encode(errors="replace")).hexdigest()[:32],
            body=content,
            metadata=metadata or {},
            user=self._user,
        )
        return written.id

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> None:
        """Take messages in; those that come again with their numbers are taken in once."""
        self._check_writable()
        encode = import_module("strands.types.session").encode_bytes_values
        numbers = getattr(context, "sequence_numbers", None) or [None] * len(messages)
        taken = [
            _observed(encode(one), number, session=self._session)
            for one, number in zip(messages, numbers, strict=True)
        ]
        if taken:
            await self._do("observe", taken, session=self._session, user=self._user)

    def _check_writable(self) -> None:
        if not self.writable:
            raise ValueError(f"The store {self.name} is not writable.")


def _types() -> Any:
    return import_module("strands.types.session")


def _refused(why: str) -> Exception:
    return import_module("strands.types.exceptions").SessionException(why)


def _checked(id_: str, kind: str) -> str:
    """Return an id, which has no slash, as Strands wants it."""
    if os.path.basename(id_) != id_:
        raise ValueError(f"{kind}_id={id_} | id cannot contain path separators")
    return id_


def _text(message: Mapping[str, Any]) -> str:
    """Return the text of a message; what tools are called with, and what they return, is none."""
    texts = [part["text"] for part in message.get("content") or () if isinstance(part.get("text"), str)]
    return "\n\n".join(texts)


def _observed(message: Mapping[str, Any], number: int | None, *, session: str) -> dict[str, Any]:
    """Return a message as it is taken in, with an id where one is known."""
    if message.get("tracking_id"):
        return {"item": message, "id": message["tracking_id"]}
    if number is None:
        return {"item": message}
    digest = sha256(json.dumps(message, sort_keys=True).encode()).hexdigest()[:16]
    return {"item": message, "id": f"{session}:{number}:{digest}"}


def _about(hit: Any) -> dict[str, Any]:
    """Return the metadata of a memory that came back."""
    known = {"kind": hit.kind, "id": hit.id, "score": hit.score, "certainty": hit.certainty}
    return {**hit.metadata, **known, "happened_at": hit.happened_at.isoformat()}


def _check_most(most: int | None) -> None:
    if most is not None and most < 1:
        raise ValueError("max_search_results must be at least 1.")
