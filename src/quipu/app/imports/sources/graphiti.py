"""Graphs of Graphiti and Zep: JSON dumps, and Neo4j over bolt.

A dump is an object of lists: ``episodes`` (uuid, name, group_id, source ``message``, ``json``, ``text`` or
``fact_triple``, content, valid_at, created_at), ``entities`` (uuid, name, labels, summary, attributes) and
``facts`` (uuid, name of the relation, fact, source_node_uuid, target_node_uuid, episodes, valid_at,
invalid_at, expired_at, created_at). Other writers call them ``episodic_nodes``, ``nodes``, ``entity_nodes``,
``edges`` and ``entity_edges``; Zep's client gives an edge ``episode_uuids`` and an episode a role, a thread
and a user. The lines of `apoc.export.json` of Neo4j are read as well. Kuzu writes UTC without a zone.

A fact has two clocks: it held from valid_at to invalid_at, and at expired_at the system stopped believing it.
One that was expired never comes back as current. An episode of text comes as a document; where all facts of
it have ended, nobody finds it, and the facts are found as of their time. Embeddings, communities and sagas
are left behind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, Unreadable, list_of, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found, Said, Stated
from quipu.app.imports.source import Source
from quipu.app.imports.sources import bolt
from quipu.app.imports.sources.ended import Ends
from quipu.errors import BadInput

_EPISODES: Final = ("episodes", "episodic_nodes")
_ENTITIES: Final = ("entities", "nodes", "entity_nodes")
_FACTS: Final = ("facts", "edges", "entity_edges")
_LISTS: Final = (*_EPISODES, *_ENTITIES, *_FACTS, "communities", "sagas")
_FIRST_KEY: Final = re.compile(rb'\s*\{\s*"(?:' + "|".join(_LISTS).encode() + rb')"\s*:\s*\[')
_LINE: Final = re.compile(
    rb'\s*\{\s*"type"\s*:\s*"node".*"labels"\s*:\s*\[[^\]]*"(?:Episodic|Entity|Community|Saga)"'
)
_NOBODY: Final = frozenset({"", "_", "\\_", "default"})  # groups that Graphiti names where nobody did
_PREFIX: Final = re.compile(r"(?m)^(?P<name>[^\n:()]{1,80}?)\s*(?:\((?P<role>\w+)\))?:[ \t]")
_ROLES: Final = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}
_INNER: Final = frozenset({"system", "tool", "function"})
_MOST_TRIED: Final = 100  # files of a folder
_UTC: Final = "Times without a zone are in UTC, as Graphiti writes them."

Records = Callable[[str], Iterator[tuple[str, JSON]]]
"""Episodes, entities or facts of a graph, by that name, each with its place."""


@dataclass(slots=True)
class _Entity:
    """An entity; ``untold`` is what its summary and attributes say, until a fact has told it."""

    name: str
    untold: str = ""
    about: dict[str, JSON] = field(default_factory=dict[str, JSON])


def _recognise(files: SourceFiles) -> bool:
    return any(_is_dump(files, name) for name in files.like(r".*\.jsonl?")[:_MOST_TRIED])


def _is_dump(files: SourceFiles, name: str) -> bool:
    begin = files.begin(name).removeprefix(b"\xef\xbb\xbf")
    return bool((_FIRST_KEY.match(begin) and b'"uuid' in begin) or _LINE.match(begin.partition(b"\n")[0]))


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    dumps = [name for name in files.names if name.endswith((".json", ".jsonl"))]
    if len(files.names) > 1:
        chosen = [name for name in dumps if _is_dump(files, name)]
        account.leave_out("file that is no dump of a graph", len(files.names) - len(chosen))
        dumps = chosen
    if not dumps:
        raise BadInput(f"{files.path} is no dump of a graph of Graphiti or Zep.", field="path")
    for name in dumps:
        lines = bool(_LINE.match(files.begin(name).partition(b"\n")[0]))
        yield from _found(
            _of_lines(files, name, account) if lines else _of_dump(files, name, account), account
        )


def _connect(url: str, account: Account) -> Iterator[Found]:
    with bolt.reading(url) as records:
        yield from _found(records, account)


def _of_dump(files: SourceFiles, name: str, account: Account) -> Records:
    keys = {"episodes": _EPISODES, "entities": _ENTITIES, "facts": _FACTS}
    known = {*_EPISODES, *_ENTITIES, *_FACTS}

    def records(kind: str) -> Iterator[tuple[str, JSON]]:
        number = 0
        for key, value in files.members(name, None if kind == "episodes" else keys[kind]):
            if key in keys[kind]:
                number += 1
                yield f"{name}, {key} {number:,}", value
            elif key not in known:
                account.drop(f"graph.{key}")

    return records


def _of_lines(files: SourceFiles, name: str, account: Account) -> Records:
    """Return the records of an export of APOC: a line for each node and for each relation."""

    def records(kind: str) -> Iterator[tuple[str, JSON]]:
        told = account if kind == "episodes" else Account()
        for where, line in files.objects(name, told):
            if of_it := object_of(line):
                found, value = _of_line(of_it)
                if found == kind:
                    yield where, value
                elif found not in ("episodes", "entities", "facts"):
                    told.drop(f"graph.{found}")
            else:
                told.refuse(where, "it is no object")

    return records


def _of_line(line: Mapping[str, Any]) -> tuple[str, JSON]:
    """Return the kind of a line, and its record as a dump has it."""
    properties, labels = object_of(line.get("properties")), list_of(line.get("labels"))
    if line.get("type") == "relationship" and line.get("label") == "RELATES_TO":
        ends = {
            f"{end}_node_uuid": object_of(object_of(line.get(at)).get("properties")).get("uuid")
            for end, at in (("source", "start"), ("target", "end"))
        }
        return "facts", {**ends, **properties}
    if "Episodic" in labels:
        return "episodes", properties
    if "Entity" in labels:
        return "entities", {**properties, "labels": labels}
    return str(line.get("label") or ", ".join(map(str, labels)) or "line"), properties


def _found(records: Records, account: Account) -> Iterator[Found]:
    account.assume(_UTC)
    outdated = _outdated(records)
    threads: dict[str, str] = {}  # of episodes that are in one
    for where, raw in records("episodes"):
        with account.reading(where), account.fields(raw, "episode") as episode:
            found = _episode(episode, raw, outdated)
            if isinstance(found, Said) and found.session and found.session != _session(found.user):
                threads[found.id] = found.session
            yield found
    entities: dict[str, _Entity] = {}
    for where, raw in records("entities"):
        with account.reading(where), account.fields(raw, "entity") as entity:
            entities[_id(entity)] = _entity(entity, account)
    for where, raw in records("facts"):
        with account.reading(where), account.fields(raw, "fact") as fact:
            yield _fact(fact, raw, entities, threads, account)
    if untold := sum(1 for one in entities.values() if one.untold):
        account.leave_out("summary of an entity that no current fact names", untold)


def _id(given: Fields) -> str:
    if (id_ := given.first("uuid", "uuid_", "id")) is None:
        raise Unreadable("uuid", "it is missing")
    return id_


def _person(given: Fields) -> str | None:
    group = given.first("user_id", "user_uuid", "group_id")
    return None if group is None or group in _NOBODY else group


def _session(user: str | None) -> str:
    """Return the session of episodes that are in no thread: one for each group."""
    return f"graphiti/{user}" if user else "graphiti"


def _outdated(records: Records) -> set[str]:
    """Return the episodes of which every fact had ended by the latest time at which a fact was written."""
    ends = Ends()
    for _, raw in records("facts"):
        with suppress(Unreadable):
            fact = Fields(raw, "fact", Account())
            ends.written(fact.time("created_at"), fact.time("expired_at"))
            ends.note(_episodes_of(fact), _until(fact))
    return ends.over()


def _until(fact: Fields) -> datetime | None:
    """Return when a fact ended, or was believed no more."""
    return min((at for at in map(fact.time, ("invalid_at", "expired_at")) if at), default=None)


def _episode(episode: Fields, raw: Mapping[str, JSON], outdated: Collection[str]) -> Found:
    id_, user, source = _id(episode), _person(episode), episode.text("source") or "message"
    content = episode.first("content", "episode_body") or ""
    created, valid, told = (episode.time(name) for name in ("created_at", "valid_at", "reference_time"))
    metadata: dict[str, JSON] = {name: episode.text(name) for name in ("name", "source_description")} | {
        name: episode.object(name) for name in ("episode_metadata", "metadata")
    }
    metadata = {name: value for name, value in metadata.items() if value}
    session = episode.first("thread_id", "thread_uuid", "session_id")
    role, speaker = _said_by(episode, content, user)
    for known in ("entity_edges", "score", "relevance", "processed", "labels"):
        episode.get(known)  # each fact names its episodes
    raw = _plain(raw)
    if source != "message":
        return Filed(
            id=id_,
            path=("graphiti", *((user,) if user else ()), "episodes"),
            key=id_,
            body=content,
            metadata={**metadata, "source": source},
            user=user,
            created_at=valid or told or created,
            updated_at=created,
            index=source != "fact_triple" and id_ not in outdated,  # the fact says it
            raw=raw,
        )
    return Said(
        id=id_,
        session=session or _session(user),
        content=content,
        role=role,
        speaker=speaker,
        user=user,
        time=valid or told or created,
        metadata=metadata,
        heard=role not in _INNER,
        raw=raw,
    )


def _said_by(episode: Fields, content: str, user: str | None) -> tuple[str, str | None]:
    """Return the role and the name of who said an episode; several speakers make it a transcript."""
    kind, name, display = (episode.text(field) for field in ("role_type", "role", "role_name"))
    kind, name = (kind, display or name) if kind else (name, display)
    if not kind:
        spoke = {(mark["name"].strip(), mark["role"] or "") for mark in _PREFIX.finditer(content)}
        if len(spoke) > 1:
            return "transcript", None
        name, kind = next(iter(spoke), ("", ""))
        kind = kind or name
    role = kind.lower()
    role = _ROLES.get(role, role if role in _INNER else "user")
    is_plain = not name or name.lower() in {role, *_ROLES, (user or "").lower()}
    return role, None if is_plain else name


def _entity(entity: Fields, account: Account) -> _Entity:
    name, summary = entity.words("name"), entity.text("summary") or ""
    for known in (
        "uuid",
        "created_at",
        "group_id",
        "user_uuid",
        "graph_uuid",
        "degree",
        "score",
        "relevance",
    ):
        entity.get(known)
    for known in ("episode_uuids", "episode_uuids_truncated"):
        entity.get(known)
    about: dict[str, JSON] = {
        "name": name,
        "labels": [one for one in entity.list("labels") if one != "Entity"],
        "attributes": _attributes(entity, account, "entity"),
    }
    return _Entity(name, summary.strip(), {key: value for key, value in about.items() if value})


def _fact(
    fact: Fields,
    raw: Mapping[str, JSON],
    entities: Mapping[str, _Entity],
    threads: Mapping[str, str],
    account: Account,
) -> Stated:
    id_, user, relation = _id(fact), _person(fact), fact.first("name", "relation")
    said, sources, ends = fact.text("fact"), _episodes_of(fact), _ends(fact, entities)
    start, told, created = (fact.time(name) for name in ("valid_at", "reference_time", "created_at"))
    until = _until(fact)
    if start is not None and until is not None and start > until:
        start = until  # it was withdrawn before it began
    for known in ("graph_uuid", "scope", "score", "relevance", "source_node_labels", "target_node_labels"):
        fact.get(known)
    subject, object_ = (name for name, _ in ends)
    metadata: dict[str, JSON] = {
        "subject": subject,
        "predicate": relation,
        "object": object_,
        "attributes": _attributes(fact, account, "fact"),
        "entities": [],
    }
    details: list[str] = []
    for _, entity in ends:
        if until is None and entity is not None and entity.untold:
            details.append(f"{entity.name}: {entity.untold}")
            metadata["entities"].append(entity.about)
            entity.untold = ""
    if said is None:
        if not (subject and relation and object_):
            raise Unreadable("fact.fact", "it is missing")
        said = f"{subject} {relation.replace('_', ' ').lower()} {object_}"
    return Stated(
        id=id_,
        text=said,
        details="\n".join(details) or None,
        category=relation,
        user=user,
        time=start or told or created,
        valid_from=start,
        valid_until=until,
        sources=[f"{threads.get(one, _session(user))}/{one}" for one in sources],
        metadata={key: value for key, value in metadata.items() if value},
        raw=_plain(raw),
    )


def _ends(fact: Fields, entities: Mapping[str, _Entity]) -> list[tuple[str | None, _Entity | None]]:
    """Return the name, and the entity if it is known, of the subject and of the object of a fact."""
    ends: list[tuple[str | None, _Entity | None]] = []
    for end in ("source", "target"):
        name, entity = fact.text(f"{end}_node_name"), entities.get(fact.first(f"{end}_node_uuid", end) or "")
        ends.append((name if entity is None else entity.name, entity))
    return ends


def _episodes_of(fact: Fields) -> list[str]:
    given: list[str] = []
    for name in ("episodes", "episode_uuids"):
        value = fact.get(name)
        parts = value.split(",") if isinstance(value, str) else fact.list(name)  # Neptune joins them
        if not all(isinstance(one, str) for one in parts):
            raise Unreadable(f"fact.{name}", "it is no list of ids")
        given += [one for one in parts if one]
    return given


def _attributes(given: Fields, account: Account, kind: str) -> dict[str, JSON]:
    """Return the attributes of a node or an edge: in a field, as text in Kuzu, or beside the other fields.

    It takes what is left, so all other fields are to be taken before.
    """
    value = given.get("attributes")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = {"attributes": value}
    known = set(given)  # which Cypher repeats in them
    found = {name: one for name, one in object_of(value).items() if name not in known}
    found |= given.rest()
    for name in [name for name in found if name.endswith("_embedding")]:
        if found.pop(name) is not None:
            account.drop(f"{kind}.{name}")
    return found


def _plain(raw: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a record without its vectors."""
    plain = {name: value for name, value in raw.items() if not name.endswith("_embedding")}
    if inner := object_of(plain.get("attributes")):
        plain["attributes"] = {name: one for name, one in inner.items() if not name.endswith("_embedding")}
    return plain


SOURCE: Final = Source(
    name="graphiti",
    title="Graphiti and Zep",
    takes="episodes, and facts with their validity, of a JSON dump or of Neo4j over bolt",
    recognise=_recognise,
    read=_read,
    schemes=bolt.SCHEMES,
    connect=_connect,
)
