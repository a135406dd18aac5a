"""Methods of mem0 as plans: the blocking and the async face run them both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from quipu.compat.face import Steps
from quipu.compat.mem0.filters import Refused, check_for_search, condition
from quipu.compat.mem0.payload import (
    APP_ID,
    PATH,
    ValidationError,
    events_of,
    free_metadata,
    given_ids,
    item_of,
    last_day,
    least_score,
    listed_of,
    narrowed,
    put_of,
    refuse_ids,
    speaker_of,
    time_now,
    turns_of,
    whole,
)
from quipu.errors import BadInput, NotFound, Outdated

_PAGE: Final = 1_000
_UNSET: Any = object()


class Plans:
    """Methods of mem0 as plans: each yields calls of the memory, and returns the answer.

    ``hosted`` is how mem0's platform has them: ``app_id`` is an id too, and filters may name ids inside AND
    and OR.
    """

    def __init__(self, *, space: str, hosted: bool = False) -> None:
        self._space = space
        self._hosted = hosted

    def add(
        self,
        messages: Any,
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,  # noqa: ARG002 - the rules take none
        **others: Any,
    ) -> Steps[dict[str, Any]]:
        """Store each message as it is, or with ``infer`` what the messages tell that will matter later.

        Raises:
            ValidationError: No id is given, or the messages have no form that is known.
            Refused: An argument has a value that cannot be; a ``ValueError``.
        """
        if timestamp is not None:
            raise Refused("The timestamp parameter is not supported by the OSS Memory SDK.")
        expires = last_day(expiration_date)
        ids = self._ids("add", user_id, agent_id, run_id, others)
        if not ids:
            raise ValidationError(
                "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.", code="VALIDATION_001"
            )
        if memory_type is not None:
            raise ValidationError(
                "Invalid 'memory_type'. Please pass procedural_memory to create procedural memories."
                if memory_type != "procedural_memory"
                else "Procedural memories are not made: they need a language model.",
                code="VALIDATION_002",
            )
        payload = {**free_metadata(metadata or {}), **ids}
        if expires is not None:
            payload["expiration_date"] = expires
        turns = turns_of(messages)
        return {"results": (yield from (self._inferred if infer else self._stored)(turns, payload, ids))}

    def _stored(
        self, turns: Sequence[Any], payload: Mapping[str, Any], _: Mapping[str, str]
    ) -> Steps[list[dict[str, Any]]]:
        puts: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for turn in turns:
            role, text = turn.get("role"), turn.get("content")
            if role in (None, "system") or text is None:
                continue
            actor = turn.get("name") or None
            about = {**payload, "role": role} | ({"actor_id": actor} if actor else {})
            puts.append(put := self._new(text, about))
            results.append(
                {"id": put["key"], "memory": text, "event": "ADD", "actor_id": actor, "role": role}
            )
        yield from self._batch(puts)
        return results

    def _inferred(
        self, turns: Sequence[Any], payload: Mapping[str, Any], ids: Mapping[str, str]
    ) -> Steps[list[dict[str, Any]]]:
        """Merge what the turns tell with what is there: it is new, known, in place of another, or over."""
        standing = yield from self._list(condition(ids), _PAGE)
        there = {one.key: one for one in standing}
        said = [
            {"role": turn["role"], "content": turn["content"], "speaker": speaker_of(turn, ids)}
            for turn in turns
            if turn.get("role") in ("user", "assistant") and turn.get("content")
        ]
        known = [
            {"id": one.key, "category": "context", "importance": "low", "summary": one.body}
            for one in standing
            if one.body
        ]
        asked = {"recent_conversation": said, "existing_memories": known}
        found = yield lambda memory: memory.longterm.evaluate(asked, space=self._space)
        puts: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for one in found.inclusions:
            puts.append(put := self._new(one.summary, {**payload, "attributed_to": "user"}))
            results.append({"id": put["key"], "memory": one.summary, "event": "ADD"})
        for one in found.edits:
            old = there[one.id]
            if one.summary is not None and one.summary != old.body:
                puts.append(self._changed(old, one.summary, free_metadata(payload)))
                event = {"event": "UPDATE", "previous_memory": old.body}
                results.append({"id": one.id, "memory": one.summary, **event})
        for one in found.deletions:
            puts.append({"do": "delete", "path": PATH, "key": one.id})
            results.append({"id": one.id, "memory": there[one.id].body, "event": "DELETE"})
        keys = {one.body: one.key for one in standing}
        for text in dict.fromkeys(one.statement for one in found.claims if one.verdict == "known"):
            if text in keys:
                results.append({"id": keys[text], "memory": text, "event": "NONE"})
        yield from self._batch(puts)
        return results

    def get(self, memory_id: str) -> Steps[dict[str, Any] | None]:
        """Return a memory, or None where there is none."""
        document = yield from self._document(memory_id)
        return None if document is None else item_of(document)

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: Any = 20,
        show_expired: bool = False,
        limit: Any = None,
        **others: Any,
    ) -> Steps[dict[str, Any]]:
        """Return the memories for which the filters hold, the latest change first; ``limit`` is ``top_k``.

        Raises:
            Refused: The filters name no id, or an argument has a value that cannot be.
        """
        refuse_ids(others, "get_all")
        most = whole(top_k if limit is None else limit)
        found = yield from self._list(narrowed(filters, hosted=self._hosted, show_expired=show_expired), most)
        return {"results": [listed_of(one) for one in found]}

    def search(
        self,
        query: Any,
        *,
        top_k: Any = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: Any = 0.1,
        rerank: bool = False,  # noqa: ARG002 - recall ranks by its own settings
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        limit: Any = None,
        **others: Any,
    ) -> Steps[dict[str, Any]]:
        """Return the memories nearest to the query, the best first, none with a score below ``threshold``.

        The score is recall's, from 0 to 1; ``explain`` adds its parts.

        Raises:
            Refused: The filters name no id, or an argument has a value that cannot be.
        """
        if reference_date is not None:
            raise Refused("The reference_date parameter is not supported by the OSS Memory SDK.")
        refuse_ids(others, "search")
        least = least_score(threshold)
        most = whole(top_k if limit is None else limit)
        if not isinstance(query, str):
            raise Refused("Invalid query: must be a non-empty string.")
        if not query.strip():
            raise Refused("Invalid query: cannot be empty or whitespace-only.")
        check_for_search(filters)
        narrow = narrowed(filters, hosted=self._hosted, show_expired=show_expired)
        wanted = {
            "path": PATH,
            "filter": narrow,
            "relevant": False,
            "limit": min(max(most, 1), _PAGE),
            "space": self._space,
        }
        found = yield lambda memory: memory.documents.search(query.strip(), **wanted)
        results = [
            item_of(one.document, one.score) | ({"score_details": dict(one.parts)} if explain else {})
            for one in found[:most]
            if one.score >= least and one.document.body
        ]
        return {"results": results}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> Steps[dict[str, str]]:
        """Change the text, the metadata or the last day of a memory; whose it is stays.

        Raises:
            Refused: There is no such memory, or nothing to change.
        """
        said = data if text is None else text
        if said is None and metadata is None and expiration_date is _UNSET:
            raise Refused("At least one of text, metadata, or expiration_date must be provided.")
        about = free_metadata(metadata or {})
        if expiration_date is not _UNSET:
            about["expiration_date"] = last_day(expiration_date)
        while True:
            old = yield from self._document(memory_id)
            if old is None:
                raise Refused(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
            put = self._changed(old, said, about)
            put = {name: value for name, value in put.items() if name not in ("do", "path", "key")}
            put |= {"expected_version": old.version, "space": self._space}
            try:
                yield lambda memory, key=old.key, put=put: memory.documents.put(PATH, key, **put)
            except (Outdated, NotFound):
                continue  # somebody else changed it meanwhile
            return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Steps[dict[str, str]]:
        """Take a memory away; its history stays.

        Raises:
            Refused: There is no such memory.
        """
        try:
            yield lambda memory: memory.documents.delete(PATH, str(memory_id), space=self._space)
        except (NotFound, BadInput) as error:
            raise Refused(f"Memory with id {memory_id} not found") from error
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: Any = None, agent_id: Any = None, run_id: Any = None, **others: Any
    ) -> Steps[dict[str, str]]:
        """Take away all memories that have these ids.

        Raises:
            Refused: No id is given.
        """
        ids = self._ids("delete_all", user_id, agent_id, run_id, others)
        if not ids:
            raise Refused(
                "At least one filter is required to delete all memories."
                " If you want to delete all memories, use the `reset()` method."
            )
        while found := (yield from self._list(condition(ids), _PAGE)):
            yield from self._batch([{"do": "delete", "path": PATH, "key": one.key} for one in found])
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> Steps[list[dict[str, Any]]]:
        """Return the changes of a memory in their order, also of one that was deleted."""
        versions: list[Any] = []
        try:
            while len(versions) % _PAGE == 0:
                at = {"space": self._space, "limit": _PAGE, "offset": len(versions)}
                page = yield lambda memory, at=at: memory.documents.history(PATH, str(memory_id), **at)
                if not page:
                    break
                versions += page
        except (NotFound, BadInput):
            return []
        return events_of(str(memory_id), versions[::-1])

    def reset(self) -> Steps[None]:
        """Erase all memories of the space for good, with their histories."""
        yield lambda memory: memory.documents.erase(PATH, space=self._space, confirm=True)

    def _ids(
        self, method: str, user_id: Any, agent_id: Any, run_id: Any, others: Mapping[str, Any]
    ) -> dict[str, str]:
        given = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        unknown = set(others) - ({APP_ID} if self._hosted else set())
        if unknown:
            raise TypeError(f"{method}() got an unexpected keyword argument {min(unknown)!r}")
        return given_ids({**given, **others})

    def _document(self, memory_id: object) -> Steps[Any]:
        try:
            return (yield lambda memory: memory.documents.get(PATH, str(memory_id), space=self._space))
        except (NotFound, BadInput):
            return None

    def _list(self, filter_: Mapping[str, Any], most: int) -> Steps[list[Any]]:
        found: list[Any] = []
        while len(found) < most:
            size = min(most - len(found), _PAGE)
            wanted = {"filter": filter_, "limit": size, "offset": len(found)}
            page = yield lambda memory, wanted=wanted: memory.documents.list(
                PATH, space=self._space, **wanted
            )
            found += page
            if len(page) < size:
                break
        return found

    def _batch(self, operations: Sequence[Mapping[str, Any]]) -> Steps[None]:
        for start in range(0, len(operations), _PAGE):
            some = operations[start : start + _PAGE]
            yield lambda memory, some=some: memory.documents.batch(some, space=self._space)

    def _new(self, text: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        made: Any = payload.get("created_at") or time_now()
        return put_of(str(uuid4()), text, {**payload, "created_at": made, "updated_at": made})

    def _changed(self, old: Any, text: str | None, about: Mapping[str, Any]) -> dict[str, Any]:
        payload = {**old.metadata, **about, "created_at": old.metadata.get("created_at")}
        return put_of(old.key, old.body if text is None else text, {**payload, "updated_at": time_now()})
