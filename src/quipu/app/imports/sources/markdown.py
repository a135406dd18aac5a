"""Folders of Markdown: notes of Basic Memory, Obsidian and others, and files of coding agents.

Each file is a document: its path is the folder that is named and those below, its key its own name.
A note has front matter (`front_matter`) with title, tags, permalink, created and modified; what its lists
say comes beside it (`notes`): observations as statements, open tasks as loops, relations as links of the
document. Files of coding agents (`agent_files`) are kept out of recall, because they are instructions, or
because the memories in them come beside them as lessons. Times without a zone are of this machine, as these
programs read them, and a file has no other times than its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Final

from quipu.app.imports.fields import Account, moment
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found, Stated, ToDo
from quipu.app.imports.front_matter import NoFrontMatter, parsed, split
from quipu.app.imports.source import Source
from quipu.app.imports.sources import agent_files
from quipu.app.imports.sources.agent_files import Lesson, Role
from quipu.app.imports.sources.notes import Note, note_of
from quipu.errors import BadInput

_AGENTS: Final[dict[Role, str]] = {
    "index": "claude-code",
    "memory": "claude-code",
    "codex": "codex",
    "rollout": "codex",
    "added": "gemini",
}
_TOLD: Final[dict[Role, str]] = {
    "index": "{} is taken for memory as Claude Code keeps it.",
    "codex": "{} is taken for memory of Codex.",
    "added": "{} is taken for instructions with memories that Gemini CLI added.",
    "instruction": "Files of instructions, such as {}, are kept as documents and out of recall.",
}
_ZONE: Final = "Times without a zone are of this machine's zone."
_FILE_TIMES: Final = "A file that does not say when it was written was written when it was last changed."
_PERMALINK: Final = b"\npermalink:"
_MOST_TRIED: Final = 50


@dataclass(slots=True)
class _File:
    """A file, its front matter, the rest of it, and when it was written."""

    name: str
    text: str
    body: str
    before: int
    created: datetime
    updated: datetime
    front: dict[str, JSON] = field(default_factory=dict[str, JSON])

    @property
    def title(self) -> str:
        """The title, or the name of the file without its ending."""
        given = self.front.get("title")
        return given if isinstance(given, str) else self.name.rsplit("/", 1)[-1].rpartition(".")[0]


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    tree = _Tree(files, account)
    if not tree.roles:
        raise BadInput(f"{files.path} has no Markdown.", field="path")
    account.assume(_ZONE)
    account.assume(_FILE_TIMES)
    told = False
    for name, role in tree.roles.items():
        if role == "trash":
            account.leave_out("deleted at the source")
            continue
        if role == "hidden":
            account.leave_out("note in a hidden folder")
            continue
        if role in _TOLD and not (told and role == "instruction"):
            folder = name.rpartition("/")[0] or "The folder"
            account.assume(_TOLD[role].format(folder if role in ("index", "codex") else name))
            told |= role == "instruction"
        try:
            file = _opened(files, name, account)
        except BadInput as error:
            account.refuse(name, error.message.removeprefix("path: "))
        else:
            yield from tree.records(file, role)
    for name in files.names:
        if name not in tree.roles and not any(part.startswith(".") for part in name.split("/")):
            account.leave_out(f"file that is no Markdown ({_ending(name)})")


class _Tree:
    """Markdown below a folder, and what each file is."""

    def __init__(self, files: SourceFiles, account: Account) -> None:
        self.roles = agent_files.roles(files)
        self._files = files
        self._account = account
        self._projects: dict[str, str | None] = {}
        path = files.path.resolve()
        is_zip = path.suffix.lower() == ".zip" and not files.path.is_dir()
        self._base = (path.stem if is_zip else path.name if files.path.is_dir() else "") or "notes"

    def records(self, file: _File, role: Role) -> Iterator[Found]:
        """Yield a file as a document, and what it says beside it."""
        if role == "note":
            note = note_of(file.body, before=file.before)
            yield self._filed(file, role, note.links)
            yield from _of_note(file, note, self._account)
            return
        yield self._filed(file, role, [])
        if role == "copy":
            self._account.leave_out("memories of a file that repeats others of Codex")
        elif role == "rollout":
            yield from _of_rollout(file, self._account)
        else:
            yield from self._lessons(file, role)

    def _filed(self, file: _File, role: Role, links: list[JSON]) -> Filed:
        *folders, key = file.name.split("/")
        about = {"front_matter": file.front, "links": links, "role": "" if role == "note" else role}
        return Filed(
            id=file.name,
            path=(self._base, *folders),
            key=key,
            body=file.text,
            metadata={name: value for name, value in about.items() if value},
            created_at=file.created,
            updated_at=file.updated,
            index=role == "note",
        )

    def _lessons(self, file: _File, role: Role) -> Iterator[Stated]:
        seen = set[str]()
        for one in self._said(file, role):
            if one.key in seen:
                self._account.leave_out("memory that stands in its file twice")
                continue
            seen.add(one.key)
            about = {
                "document": file.name,
                "line": one.line,
                "agent": self._agent(file.name, role),
                "heading": one.heading,
                "project": one.project or self._project(file.name),
                **{name: file.front.get(name) for name in ("name", "description") if role == "memory"},
            }
            yield Stated(
                id=f"{file.name}#{one.key}",
                text=one.text,
                lesson=True,
                category=one.category,
                time=file.created,
                metadata={name: value for name, value in about.items() if value},
                raw={"document": file.name, "line": one.line, "text": one.text},
            )

    def _said(self, file: _File, role: Role) -> Iterable[Lesson]:
        """Return the memories in a file of an agent; none of plain instructions."""
        if role == "index":
            folder = file.name.removesuffix("MEMORY.md")
            inside = {name.removeprefix(folder) for name in self.roles if name.startswith(folder)}
            lessons, naming = agent_files.of_index(file.body, inside)
            self._account.leave_out("line of MEMORY.md that names a file with the memory", naming)
            return lessons
        if role == "memory":
            return agent_files.of_memory(file.front, file.body, before=file.before)
        if role == "codex":
            return agent_files.of_codex(file.text)
        return agent_files.of_added(file.text) if role == "added" else ()

    def _agent(self, name: str, role: Role) -> str:
        """Return the agent whose memory a file is; Gemini CLI keeps its own as Claude Code does."""
        whole = f"{self._files.path.resolve().as_posix()}/{name}"
        return "gemini" if "/.gemini/" in whole else _AGENTS[role]

    def _project(self, name: str) -> str | None:
        """Return the path of the project whose memory a file is, if recorded sessions beside it have it."""
        folder = name.rpartition("/memory/")[0]
        if folder and folder not in self._projects:
            self._projects[folder] = agent_files.project_of(self._files, folder)
        return self._projects.get(folder)


def _ending(name: str) -> str:
    _, dot, ending = name.rsplit("/", 1)[-1].rpartition(".")
    return f".{ending.lower()}" if dot and len(ending) <= 10 else "without an ending"


def _opened(files: SourceFiles, name: str, account: Account) -> _File:
    text, changed = agent_files.read_text(files, name), files.modified(name)
    front, body = split(text)
    file = _File(name, text, body, text[: len(text) - len(body)].count("\n"), changed, changed)
    if front is None:
        return file
    try:
        file.front = parsed(front)
    except NoFrontMatter as error:
        account.refuse(f"{name}, front matter", str(error))
        return file
    created, modified = (_time(file, key, account) for key in ("created", "modified"))
    file.updated = modified or max(changed, created or changed)
    file.created = created or min(changed, file.updated)
    return file


def _time(file: _File, key: str, account: Account) -> datetime | None:
    value = file.front.get(key)
    if value is None:
        return None
    try:
        return moment(value, zone=None)
    except (ValueError, OverflowError, OSError):
        account.refuse(f"{file.name}, front matter", f"{key} is no time")
        return None


def _of_rollout(file: _File, account: Account) -> Iterator[Stated]:
    header, body, before = agent_files.of_rollout(file.body)
    if not body:
        account.leave_out("empty summary")
        return
    try:
        time = moment(header["updated_at"], zone=None) if "updated_at" in header else file.created
    except (ValueError, OverflowError, OSError):
        time = file.created
    about = {
        "document": file.name,
        "line": file.before + before + 1,
        "agent": "codex",
        "project": header.get("cwd"),
        "thread": header.get("thread_id"),
        "rollout": header.get("rollout_path"),
        "branch": header.get("git_branch"),
    }
    yield Stated(
        id=f"{file.name}#memory",
        text=body,
        lesson=True,
        category="context",
        time=time,
        metadata={name: value for name, value in about.items() if value},
        raw={"document": file.name, "header": header, "text": body},
    )


def _of_note(file: _File, note: Note, account: Account) -> Iterator[Found]:
    seen = Counter[str]()
    account.leave_out("task that is done or dropped", note.done)
    account.leave_out("task that is put off", note.put_off)
    for said in note.observations:
        about = {"document": file.name, "line": said.line, "tags": said.tags, "context": said.context}
        yield Stated(
            id=_id(file, f"[{said.category}] {said.text}", seen),
            text=f"{file.title}: {said.text}",
            details=said.context,
            category=said.category,
            time=file.created,
            metadata={name: value for name, value in about.items() if value},
            raw=about | {"category": said.category, "text": said.text},
        )
    for task in note.tasks:
        yield ToDo(
            id=_id(file, f"[ ] {task.text}", seen),
            text=task.text,
            time=file.updated,
            due=_due(task.due),
            raw={"document": file.name, "line": task.line, "text": task.text},
        )


def _due(due: str | None) -> datetime | None:
    try:
        return None if due is None else moment(due, zone=None)
    except (ValueError, OverflowError, OSError):
        return None


def _id(file: _File, text: str, seen: Counter[str]) -> str:
    """Return the id of a line: it stays while the line does, wherever it moves in its file."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    seen[digest] += 1
    return f"{file.name}#{digest}" if seen[digest] == 1 else f"{file.name}#{digest}-{seen[digest]}"


def _is_vault(files: SourceFiles) -> bool:
    return any(".obsidian" in name.split("/")[:-1] for name in files.names)


def _is_basic_memory(files: SourceFiles) -> bool:
    tried = [name for name in files.names if agent_files.MARKDOWN.fullmatch(name)][:_MOST_TRIED]
    begins = (files.begin(name, 2048) for name in tried)
    return any(begin.startswith(b"---") and _PERMALINK in begin.partition(b"\n---")[0] for begin in begins)


def _is_claude_code(files: SourceFiles) -> bool:
    found = set(agent_files.roles(files).values())
    return "index" in found and found <= {"index", "memory", "hidden"}


def _is_of_agents(files: SourceFiles) -> bool:
    return bool({*_AGENTS, "instruction"} & set(agent_files.roles(files).values()))


def _has_markdown(files: SourceFiles) -> bool:
    return any(agent_files.MARKDOWN.fullmatch(name) for name in files.names)


def _source(name: str, title: str, takes: str, recognise: Callable[[SourceFiles], bool]) -> Source:
    return Source(name=name, title=title, takes=takes, recognise=recognise, read=_read)


OBSIDIAN: Final = _source(
    "obsidian", "Obsidian", "notes of a vault, with their observations, open tasks and links", _is_vault
)
BASIC_MEMORY: Final = _source(
    "basic-memory",
    "Basic Memory",
    "notes of a project, with their observations, open tasks and relations",
    _is_basic_memory,
)
CLAUDE_CODE: Final = _source(
    "claude-code-memory", "Claude Code", "the memory that it keeps of a project", _is_claude_code
)
CODING_AGENTS: Final = _source(
    "coding-agents",
    "coding agents",
    "memories of Claude Code, Codex and Gemini CLI; CLAUDE.md, AGENTS.md and rules as documents",
    _is_of_agents,
)
MARKDOWN: Final = _source("markdown", "Markdown", "notes in a folder, or one", _has_markdown)
