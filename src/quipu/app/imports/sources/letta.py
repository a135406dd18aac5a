"""Agents of Letta (MemGPT): agent files (``.af``), and the PostgreSQL of a server.

Version 2 of an agent file is an object with ``agents`` (name, agent_type, messages, block_ids), ``blocks``
(id, label, value, limit), ``files`` (file_name, content), ``skills`` and ``metadata.revision_id``; version 1
is one agent with ``core_memory``, ``messages`` without ids, and ``version``. A message has a role, parts of
content, tool_calls, tool_returns and created_at, in version 1 in UTC without a zone.

An agent file has no archival memory, and only the messages in the context of the agent: to take all, name
the server's database. Agents of MemGPT speak by calling ``send_message``, and what stands beside is thought.
What a user said is packed as ``{"type": "user_message"}``; logins, heartbeats and alerts look the same and
are said by nobody. The system prompt repeats every block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from quipu.app.imports.fields import Account, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found
from quipu.app.imports.source import Source
from quipu.app.imports.sources import letta_records as records
from quipu.app.imports.sources import letta_server
from quipu.app.imports.sources.letta_records import Agent
from quipu.errors import BadInput

_MARKS: Final = (b'"agent_type"', b'"core_memory"', b'"memory_blocks"', b'"in_context_message_ids"')
_MOST_TRIED: Final = 100  # files of a folder
_UTC: Final = "Times without a zone are in UTC, as Letta writes them."
_PARTIAL: Final = (
    "An agent file has no archival memory, and only the messages in the context of its agents;"
    " the database of the server has all."
)


def _recognise(files: SourceFiles) -> bool:
    return any(_is_agents(files, name) for name in files.like(r".*\.(af|json)")[:_MOST_TRIED])


def _is_agents(files: SourceFiles, name: str) -> bool:
    begin = files.begin(name)
    is_object = begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return is_object and (name.endswith(".af") or any(mark in begin for mark in _MARKS))


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    chosen = list(files.names)
    if len(chosen) > 1:
        chosen = [name for name in files.like(r".*\.(af|json)") if _is_agents(files, name)]
        account.leave_out("file that is no agent file", len(files.names) - len(chosen))
    if not chosen:
        raise BadInput(f"{files.path} has no agent file of Letta.", field="path")
    account.assume(_UTC)
    account.assume(_PARTIAL)
    for name in chosen:
        whole = files.json(name)
        if not {"agents", "core_memory", "messages"} & set(object_of(whole)):
            raise BadInput(f"{name} is no agent file of Letta.", field="path")
        with account.reading(name):
            yield from (_second if "agents" in whole else _first)(whole, name, account)


def _first(whole: Mapping[str, JSON], name: str, account: Account) -> Iterator[Found]:
    """Yield what a file of version 1 has."""
    with account.fields(whole, "agent") as given:
        account.version = given.text("version")
        called = given.text("name") or name.removesuffix(".af")
        agent = Agent(name=called, session=called, kind=given.text("agent_type"))
        yield from _messages(given.list("messages"), name, agent, account)
        for raw in given.list("core_memory"):
            with account.reading(f"{name}, core_memory"), account.fields(raw, "block") as one:
                id_ = one.text("id") or f"{called}/{one.words('label')}"
                if (found := records.block(one, raw, id_=id_, agents=[called], account=account)) is not None:
                    yield found
        account.leave_out("tool", len(given.list("tools")))


def _second(whole: Mapping[str, JSON], name: str, account: Account) -> Iterator[Found]:
    """Yield what a file of version 2 has."""
    with account.fields(whole, "file") as given:
        account.version = given.part("metadata").text("revision_id")
        given.get("created_at")
        users: dict[str, list[str]] = {}
        names: set[str] = set()
        for number, raw in enumerate(given.list("agents"), start=1):
            with account.reading(f"{name}, agent {number:,}"), account.fields(raw, "agent") as one:
                id_ = one.text("id") or str(number)
                called = one.text("name") or id_
                session = f"{called} ({id_})" if called in names else called
                names.add(called)
                for block in one.list("block_ids"):
                    users.setdefault(str(block), []).append(called)
                agent = Agent(name=called, session=session, kind=one.text("agent_type"))
                one.list("in_context_message_ids")
                yield from _messages(one.list("messages"), name, agent, account)
        for number, raw in enumerate(given.list("blocks"), start=1):
            with account.reading(f"{name}, block {number:,}"), account.fields(raw, "block") as one:
                id_ = one.words("id")
                agents = users.get(id_, [])
                if (found := records.block(one, raw, id_=id_, agents=agents, account=account)) is not None:
                    yield found
        for number, raw in enumerate(given.list("files"), start=1):
            with account.reading(f"{name}, file {number:,}"), account.fields(raw, "file") as one:
                if (filed := records.file(one, raw, account=account)) is not None:
                    yield filed
        for number, raw in enumerate(given.list("skills"), start=1):
            with account.reading(f"{name}, skill {number:,}"), account.fields(raw, "skill") as one:
                skill = one.words("name")
                for path, body in one.object("files").items():
                    yield _skill(skill, path, body)
        for kind in ("tool", "group", "source", "mcp_server"):
            account.leave_out(kind, len(given.list(f"{kind}s")))


def _messages(raws: JSON, name: str, agent: Agent, account: Account) -> Iterator[Found]:
    for number, raw in enumerate(raws):
        where = f"{name}, message {number:,} of {agent.name}"
        with account.reading(where), account.fields(raw, "message") as given:
            id_ = given.text("id") or str(number)
            yield records.message(given, raw, id_=id_, agent=agent, account=account)


def _skill(skill: str, path: str, body: JSON) -> Filed:
    """Return a file of a skill, which is an instruction."""
    *folders, key = [part for part in path.split("/") if part] or ["SKILL.md"]
    return Filed(
        id=f"{skill}/{path}",
        path=("letta", "skills", skill, *folders),
        key=key,
        body=str(body),
        index=False,
    )


SOURCE: Final = Source(
    name="letta",
    title="Letta (MemGPT)",
    takes="messages and memory blocks of an agent file; of a server, archival memory and history too",
    recognise=_recognise,
    read=_read,
    schemes=("postgresql", "postgres"),
    connect=letta_server.connect,
)
