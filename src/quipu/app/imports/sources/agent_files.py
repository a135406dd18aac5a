"""Files that coding agents keep in Markdown: which of them are memories, copies of these, and instructions.

- Claude Code: ``projects/<project>/memory/`` has ``MEMORY.md``, a line for each memory or free notes, and
  files with the front matter ``name``, ``description`` and ``metadata.type`` (user, feedback, project,
  reference). The private memory of Gemini CLI and of subagents look the same.
- Codex: ``memories/MEMORY.md`` has task groups with lists of what was learned, ``rollout_summaries/*.md``
  begin with ``thread_id:``, ``updated_at:`` and ``cwd:``; ``raw_memories.md`` and ``memory_summary.md``
  repeat them.
- Gemini CLI: the section ``## Gemini Added Memories`` of ``GEMINI.md``.
- Instructions: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor (``.mdc``) and others, skills, commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

from quipu.app.imports.fields import object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON
from quipu.app.imports.front_matter import NoFrontMatter, parsed, split
from quipu.app.imports.sources.notes import item_of, lines
from quipu.errors import BadInput

Role = Literal[
    "note", "instruction", "index", "memory", "codex", "rollout", "copy", "added", "hidden", "trash"
]
"""Role of a file: of Claude Code the index or a memory, of Codex the handbook, a summary or a copy; a file of
instructions, or one with memories that an agent ``added``; a note; in a hidden folder; thrown away."""

MARKDOWN: Final = re.compile(r".*\.(?:md|markdown|mdc)", re.IGNORECASE | re.DOTALL)
PLAIN_RULES: Final = frozenset({".cursorrules", ".windsurfrules", ".clinerules", ".rules"})
_INSTRUCTIONS: Final = re.compile(
    r"(?:claude(?:\.local)?|agents?(?:\.override)?|copilot-instructions|skill|conventions)\.md"
    r"|.*\.instructions\.md|.*\.mdc|\.(?:cursor|windsurf|cline)?rules",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(r"(?:gemini|qwen)\.md", re.IGNORECASE)
_OF_AGENTS: Final = re.compile(
    r"(?:.*/)?\.(?:claude|codex|gemini|cursor|github|agents|windsurf|clinerules|continue|opencode|qwen)/(?:.*/)?"
    r"(?:rules|commands|agents|skills|prompts|instructions|chatmodes|output-styles|workflows)/.*",
    re.DOTALL,
)
_MEMORY_FOLDER: Final = re.compile(
    r"(?:.*/)?(?:projects/[^/]+/memory|\.claude/agent-memory(?:-local)?/[^/]+|\.gemini/tmp/[^/]+/memory)",
    re.DOTALL,
)
_COPIES: Final = frozenset({"raw_memories.md", "memory_summary.md", "phase2_workspace_diff.md"})
_CATEGORIES: Final[Mapping[str, str]] = {
    "user": "preferences",
    "feedback": "corrections",
    "project": "context",
    "reference": "knowledge",
}
_OF_HEADINGS: Final[Mapping[str, str]] = {
    "user preferences": "preferences",
    "failures and how to do differently": "corrections",
}
_ROUTING: Final = frozenset({"rollout_summary_files", "keywords"})  # lists that lead to tasks
_ADDED_HEADING: Final = re.compile(r"##\s+\w+ Added Memories\s*", re.IGNORECASE)
_HEADING: Final = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*\s*")
_APPLIES: Final = re.compile(r"applies_to:.*?\bcwd=(?P<cwd>/[^;,\n]+)", re.IGNORECASE)
_HEADER: Final = re.compile(r"(?P<name>thread_id|updated_at|rollout_path|cwd|git_branch):\s*(?P<value>.*)")
_CWD: Final = re.compile(rb'"cwd"\s*:\s*"(?P<cwd>/[^"\\]{1,400})"')
_TARGET: Final = re.compile(
    r"\]\((?:\./)?(?P<link>[^()\s#]+?)(?:#[^()]*)?\)|\[\[(?P<wiki>[^\[\]|#]+)|`(?P<code>[^`\s]+)`"
)
_MOST_SIBLINGS: Final = 20
_LONGEST: Final = 4_000  # of a lesson


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A memory in a file, at a line; ``key`` tells it from the others there."""

    key: str
    line: int
    text: str
    category: str | None = None
    heading: str | None = None
    project: str | None = None


def roles(files: SourceFiles) -> dict[str, Role]:
    """Return the role of each Markdown file, by its name."""
    names = [name for name in files.names if MARKDOWN.fullmatch(name) or _last(name) in PLAIN_RULES]
    root = "/".join(files.path.resolve().parts[-3:]) if files.path.is_dir() else ""
    folders: dict[str, Literal["claude", "codex"]] = {}
    marked = {_folder(name) for name in names if _last(name) == "MEMORY.md" or _last(name) in _COPIES}
    marked |= {name.rpartition("rollout_summaries/")[0] for name in names if "rollout_summaries/" in name}
    for folder in sorted(marked):
        kind = _memory_of(files, folder, [name for name in names if name.startswith(folder)], root)
        if kind is not None:
            folders[folder] = kind
    return {name: _role(name, f"{root}/{name}", folders) for name in names}


def _memory_of(
    files: SourceFiles, folder: str, below: list[str], root: str
) -> Literal["claude", "codex"] | None:
    """Return the agent whose memory a folder is, if it is one."""
    inside = {name.removeprefix(folder) for name in below}
    if _COPIES & inside or any(name.startswith("rollout_summaries/") for name in inside):
        return "codex"
    if "MEMORY.md" not in inside:
        return None
    if _MEMORY_FOLDER.fullmatch(f"{root}/{folder}".rstrip("/")) or inside == {"MEMORY.md"}:
        return "claude"
    siblings = [name for name in below if "/" not in name.removeprefix(folder)]
    if any(_is_memory(files, name) for name in siblings[:_MOST_SIBLINGS]):
        return "claude"
    index = files.begin(f"{folder}MEMORY.md", 1 << 16).decode("utf-8", "replace")
    return "claude" if any(names_a_file(line, inside) for line in index.split("\n")) else None


def _is_memory(files: SourceFiles, name: str) -> bool:
    """Return True if a file has the front matter of a memory."""
    front, _ = split(files.begin(name, 1 << 14).decode("utf-8", "replace"))
    try:
        fields = {} if front is None else parsed(front)
    except NoFrontMatter:
        return False
    return {"name", "description"} <= set(fields) and _type(fields) is not None


def _type(fields: Mapping[str, JSON]) -> str | None:
    kind = object_of(fields.get("metadata")).get("type") or fields.get("type")
    return kind if isinstance(kind, str) and kind in _CATEGORIES else None


def _role(name: str, whole: str, folders: Mapping[str, Literal["claude", "codex"]]) -> Role:
    last = _last(name)
    folder = max((one for one in folders if name.startswith(one)), key=len, default=None)
    if any(part in (".trash", ".Trash") for part in name.split("/")):
        return "trash"
    if folder is not None and folders[folder] == "codex":
        return _role_in_codex(name.removeprefix(folder))
    if folder is not None and not _OF_AGENTS.fullmatch(name.removeprefix(folder)):
        return "index" if name == f"{folder}MEMORY.md" else "memory"
    if _ADDED.fullmatch(last):
        return "added"
    if _INSTRUCTIONS.fullmatch(last) or _OF_AGENTS.fullmatch(whole):
        return "instruction"
    return "hidden" if any(part.startswith(".") for part in name.split("/")[:-1]) else "note"


def _role_in_codex(name: str) -> Role:
    if name == "MEMORY.md":
        return "codex"
    if name.startswith("rollout_summaries/"):
        return "rollout"
    if name in _COPIES or name.startswith(("raw_memories/", "extensions/")):
        return "copy"
    return "instruction" if name.startswith("skills/") else "note"


def names_a_file(line: str, inside: set[str]) -> bool:
    """Return True if a line of an index names a file beside it."""
    for target in _TARGET.finditer(line[:_LONGEST]):
        name = target["link"] or target["wiki"] or target["code"]
        if name != "MEMORY.md" and (name in inside or f"{name}.md" in inside):
            return True
    return False


def of_index(text: str, inside: set[str]) -> tuple[list[Lesson], int]:
    """Return the memories in an index of Claude Code, and how many of its lines name a file beside it."""
    found = list(_items(text))
    own = [one for one in found if not names_a_file(one.text, inside)]
    return (own if found else _whole(text)), len(found) - len(own)


def of_memory(fields: Mapping[str, JSON], body: str, *, before: int) -> list[Lesson]:
    """Return the memories in a file of Claude Code: it is one, or its items if it is long or has no name."""
    category = _CATEGORIES.get(_type(fields) or "")
    description = fields.get("description")
    text = body.strip() or (description if isinstance(description, str) else "")
    if not text:
        return []
    if len(text) <= _LONGEST and "name" in fields:
        return [Lesson(key="memory", line=before + 1, text=text, category=category)]
    return list(_items(body, before=before, category=category)) or _whole(text, category=category)


def of_codex(text: str) -> Iterator[Lesson]:
    """Yield what was learned, of the handbook of Codex."""
    yield from (one for one in _items(text) if (one.heading or "").lower() not in _ROUTING)


def of_rollout(text: str) -> tuple[dict[str, str], str, int]:
    """Return the fields at the head of a summary of Codex, what follows, and how many lines came before."""
    header: dict[str, str] = {}
    every = text.split("\n")
    for number, line in enumerate(every):
        if (found := _HEADER.fullmatch(line.strip())) is None:
            return header, "\n".join(every[number:]).strip(), number
        header[found["name"]] = found["value"].strip()
    return header, "", len(every)


def of_added(text: str) -> Iterator[Lesson]:
    """Yield the memories that an agent added to its instructions."""
    inside = False
    for number, line in lines(text):
        if line.startswith("#"):
            inside = bool(_ADDED_HEADING.fullmatch(line))
        elif inside and (item := item_of(line)):
            yield _lesson(number, item)


def project_of(files: SourceFiles, folder: str) -> str | None:
    """Return the path of the project of a folder of Claude Code, which its recorded sessions have."""
    for session in files.like(rf"{re.escape(folder)}/[^/]+\.jsonl")[:_MOST_SIBLINGS]:
        if (cwd := _CWD.search(files.begin(session, 1 << 16))) is not None:
            return cwd["cwd"].decode("utf-8", "replace")
    return None


def _items(text: str, *, before: int = 0, category: str | None = None) -> Iterator[Lesson]:
    """Yield the items of lists with what is indented below them, under their headings."""
    heading, project = None, None
    begun: tuple[int, list[str]] | None = None
    for number, line in lines(text):
        is_heading = _HEADING.fullmatch(line)
        is_inner = bool(line.strip()) and line[:1] in " \t"
        item = item_of(line) if not is_inner else None
        if begun is not None and is_inner:
            begun[1].append(line.strip())
            continue
        if begun is not None:
            yield _lesson(begun[0], "\n".join(begun[1]), heading, project, category)
            begun = None
        if is_heading is not None:
            heading = is_heading["text"]
            project = None if is_heading["level"] == "#" else project
        elif (applies := _APPLIES.match(line)) is not None:
            project = applies["cwd"].strip()
        elif item:
            begun = (number + before, [item])
    if begun is not None:
        yield _lesson(begun[0], "\n".join(begun[1]), heading, project, category)


def _lesson(
    line: int, text: str, heading: str | None = None, project: str | None = None, category: str | None = None
) -> Lesson:
    of_heading = _OF_HEADINGS.get((heading or "").lower())
    key = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Lesson(
        key=key, line=line, text=text, category=category or of_heading, heading=heading, project=project
    )


def _whole(text: str, *, category: str | None = None) -> list[Lesson]:
    return [_lesson(1, text.strip(), category=category)] if text.strip() else []


def _folder(name: str) -> str:
    """Return the folder of a file with a slash behind it; nothing of one at the top."""
    return name[: name.rfind("/") + 1]


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def read_text(files: SourceFiles, name: str) -> str:
    """Return the text of a file.

    Raises:
        BadInput: it is none.
    """
    text = files.text(name)
    if "\0" in text:
        raise BadInput(f"{name} is no text.", field="path")
    return text
