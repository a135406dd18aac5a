"""Files of coding agents: memories become lessons, instructions never do, and copies come once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from importing import EXPORTS, imported, recognised_as, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Stated
from quipu.app.imports.sources.markdown import CODING_AGENTS

EXPORT = EXPORTS / "agents"
STEM = "---\nname: {0}\ndescription: about {0}\nmetadata:\n  type: {1}\n---\n\n{2}\n"


def read(root: Path, **files: str) -> tuple[list[Found], Account]:
    for name, text in files.items():
        written(root / name, text)
    return imported(CODING_AGENTS, root)


def lessons(found: list[Found]) -> list[Stated]:
    return [one for one in found if isinstance(one, Stated) and one.lesson]


def test_a_mixed_folder_says_what_it_has() -> None:
    found, account = imported(CODING_AGENTS, EXPORT)
    assert [one.id for one in found if isinstance(one, Filed)] == [
        "CLAUDE.md", "GEMINI.md", "claude-code-memory/MEMORY.md", "claude-code-memory/uses-pnpm.md",
        "codex-memories/MEMORY.md", "codex-memories/memory_summary.md", "codex-memories/raw_memories.md",
        "codex-memories/rollout_summaries/r1.md", "cursor.mdc", "obsidian.md",
    ]  # fmt: skip
    assert [(one.text, one.category, one.metadata["agent"]) for one in lessons(found)] == [
        ("Lives in Lisbon.", None, "gemini"),
        ("Prefers pnpm.", None, "gemini"),
        ("Use pnpm, never npm. See [[ci-cache]].\n\n**Why:** the lock file.", "corrections", "claude-code"),
        ("Use pnpm, never npm.", None, "codex"),
        ("Fixed csrf.", "context", "codex"),
    ]
    assert account.left_out == {
        "line of MEMORY.md that names a file with the memory": 1,
        "memories of a file that repeats others of Codex": 2,
    }
    assert "claude-code-memory is taken for memory as Claude Code keeps it." in account.assumed
    assert "codex-memories is taken for memory of Codex." in account.assumed
    assert recognised_as(EXPORT) == "coding-agents"
    assert recognised_as(EXPORT / "claude-code-memory") == "claude-code-memory"


def test_files_of_agents_are_kept_out_of_recall_and_notes_are_not() -> None:
    kept = {one.id: one for one in imported(CODING_AGENTS, EXPORT)[0] if isinstance(one, Filed)}
    assert [name for name, one in kept.items() if one.index is True] == ["obsidian.md"]
    assert kept["CLAUDE.md"].metadata == {"role": "instruction"}
    assert kept["cursor.mdc"].metadata["front_matter"]["globs"] == ["**/*.ts"]


def test_a_summary_of_codex_has_its_thread_and_its_time() -> None:
    (one,) = (one for one in lessons(imported(CODING_AGENTS, EXPORT)[0]) if "thread" in one.metadata)
    assert (one.id, one.metadata["thread"]) == ("codex-memories/rollout_summaries/r1.md#memory", "t-1")
    assert one.time == datetime(2026, 5, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "category"),
    [
        ("user", "preferences"),
        ("feedback", "corrections"),
        ("project", "context"),
        ("reference", "knowledge"),
    ],
)
def test_the_type_of_a_memory_is_its_category(tmp_path: Path, kind: str, category: str) -> None:
    text = STEM.format("a", kind, "Words.")
    (one,) = lessons(read(tmp_path, **{"MEMORY.md": "- [A](a.md)\n", "a.md": text})[0])
    assert (one.category, one.text, one.metadata["description"]) == (category, "Words.", "about a")
    flat = text.replace("metadata:\n  type", "type")
    assert [one.category for one in lessons(read(tmp_path, **{"a.md": flat})[0])] == [category]


def test_lines_of_the_index_that_no_file_says_are_memories_too(tmp_path: Path) -> None:
    index = (
        "# Memory\n\nIntro.\n\n- [A](a.md) - hook\n- see `a.md`\n- [[a]]\n- Tests need Redis\n  on port 7\n"
        "- [B](b.md) gone\n"
    )
    found, account = read(tmp_path, **{"MEMORY.md": index, "a.md": STEM.format("a", "user", "Words.")})
    assert [one.text for one in lessons(found)] == ["Tests need Redis\non port 7", "[B](b.md) gone", "Words."]
    assert account.left_out == {"line of MEMORY.md that names a file with the memory": 3}


def test_an_index_alone_without_a_list_is_one_memory(tmp_path: Path) -> None:
    found, _ = read(tmp_path, **{"MEMORY.md": "Use pnpm.\n"})
    assert [one.text for one in lessons(found)] == ["Use pnpm."]
    assert recognised_as(tmp_path) == "claude-code-memory"


def test_a_home_has_the_memories_of_each_project(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = ".claude/projects/-home-ana-boats"
    session = json.dumps({"type": "user", "cwd": "/home/ana/boats"})
    files = {
        f"{folder}/memory/MEMORY.md": "- Use pnpm\n",
        f"{folder}/memory/debugging.md": "# Debugging\n\n- Tests need Redis\n- Clear the cache\n",
        f"{folder}/s.jsonl": session,
        ".claude/CLAUDE.md": "- Be brief\n",
        ".claude/commands/ship.md": "Ship it.\n",
        ".claude/plugins/p/README.md": "Of a plugin.\n",
        ".codex/memories/MEMORY.md": "# Task Group: boats\nscope: x\n",
        ".codex/memories/memory_summary.md": "v1\n",
        ".codex/AGENTS.md": "- Be quick\n",
        "src/boats/CLAUDE.md": "- [ ] never a task\n- [rule] never a statement\n",
    }
    found, account = read(home, **files)
    assert [(one.text, one.metadata["project"]) for one in lessons(found)] == [
        ("Use pnpm", "/home/ana/boats"),
        ("Tests need Redis", "/home/ana/boats"),
        ("Clear the cache", "/home/ana/boats"),
    ]
    assert {one.id for one in found if isinstance(one, Filed) and one.index is not False} == set()
    assert account.left_out["note in a hidden folder"] == 1
    assert not [one for one in found if not isinstance(one, Filed | Stated)]
    assert recognised_as(home) == "coding-agents"
    assert recognised_as(home / folder / "memory") == "claude-code-memory"


def test_the_handbook_of_codex_gives_what_was_learned_and_not_its_routing(tmp_path: Path) -> None:
    handbook = """# Task Group: boats

scope: the boats app
applies_to: cwd=/home/ana/boats; reuse_rule=same checkout

## Task 1: fix csrf, done

### rollout_summary_files

- rollout_summaries/r1.md (cwd=/home/ana/boats, thread_id=t-1)

### keywords

- csrf, login

## User preferences

- when testing, the user said: "use pnpm" -> pnpm only [Task 1]

## Reusable knowledge

- The token is in the meta tag [Task 1]

## Failures and how to do differently

- npm broke the lock file -> run pnpm install [Task 1]

# Task Group: other

## Reusable knowledge

- Elsewhere
"""
    found, _ = read(tmp_path, **{"MEMORY.md": handbook, "memory_summary.md": "v1\n- boats\n"})
    assert [(one.category, one.metadata.get("project")) for one in lessons(found)] == [
        ("preferences", "/home/ana/boats"),
        (None, "/home/ana/boats"),
        ("corrections", "/home/ana/boats"),
        (None, None),
    ]
    assert "csrf, login" not in [one.text for one in lessons(found)]


def test_a_long_memory_is_taken_item_by_item(tmp_path: Path) -> None:
    body = "".join(f"- Fact {number} {'x' * 50}\n" for number in range(100))
    found, _ = read(tmp_path, **{"MEMORY.md": "- [A](a.md)\n", "a.md": STEM.format("a", "project", body)})
    assert len(lessons(found)) == 100
    assert {one.category for one in lessons(found)} == {"context"}


def test_the_folder_of_gemini_is_of_gemini(tmp_path: Path) -> None:
    found, _ = read(tmp_path / ".gemini", **{"tmp/boats/memory/MEMORY.md": "- Use pnpm\n"})
    assert [one.metadata["agent"] for one in lessons(found)] == ["gemini"]


def test_instructions_that_an_agent_added_to_are_no_memories_outside_the_section(tmp_path: Path) -> None:
    text = "# Rules\n\n- Be brief\n\n## Gemini Added Memories\n- Lives in Lisbon\n\n## More\n- Be quick\n"
    found, _ = read(tmp_path, **{"GEMINI.md": text})
    assert [one.text for one in lessons(found)] == ["Lives in Lisbon"]


def test_a_note_named_memory_among_notes_is_a_note(tmp_path: Path) -> None:
    found, account = read(tmp_path, **{"MEMORY.md": "- [colour] Green\n", "README.md": "Words.\n"})
    assert not lessons(found)
    assert [one.index for one in found if isinstance(one, Filed)] == [True, True]
    assert not any("Claude" in one for one in account.assumed)


def test_hostile_files_are_read_as_text_or_refused(tmp_path: Path) -> None:
    files = {
        "MEMORY.md": "- " + "[" * 100_000 + "\n" + "- [x](" * 20_000,
        "a.md": "---\nname: !!python/object:os.system x\n---\nB",
        "b.md": STEM.format("a: b: c", "user", "C"),
        "c.md": "---\nname: [x]\ndescription: {a: b}\nmetadata: y\ntype: user\n---\n",
    }
    found, account = read(tmp_path, **files)
    assert [one.id for one in found if isinstance(one, Filed)] == sorted(files)
    assert [one.partition(":")[0] for one in account.refused] == ["a.md, front matter", "b.md, front matter"]
