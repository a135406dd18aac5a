"""Whatever lies among the transcripts: what cannot be read is told by file, the rest is taken in."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import ANY

import psycopg
import pytest
from coding_sessions import World
from told import everything, sessions

from quipu import AsyncMemory

KEY = "7kQ2" + "mX9vB4nT6wZ8" * 4
SECRETS = {
    "github-token": "gh" + f"p_{KEY[:36]}",
    "anthropic-key": "sk" + f"-ant-api03-{KEY}",
    "private-key": f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----",
    "url-password": "postgres://quipu:Blau" + "wal2019@localhost/quipu",
    "password": "Blau" + "wal#2019x",
}


async def test_secrets_are_nowhere_in_the_database_and_are_counted(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    token, key = SECRETS["github-token"], SECRETS["anthropic-key"]
    session = made.session("/home/ana/vault")
    session.prompt(f"My token is {token}, keep it.")
    session.answer([{"type": "thinking", "thinking": f"The key is {key}."}])
    session.answer([{"type": "text", "text": SECRETS["private-key"]}])
    session.tool(
        "Bash",
        {"command": f"curl -H 'Authorization: token {token}' x", "env": {"password": SECRETS["password"]}},
        "ok",
    )
    session.tool(
        "Write", {"file_path": "/x/.env", "content": f"A=1\nTOKEN={token}\n"}, [{"type": "text", "text": key}]
    )
    session.spilled("x " * 40_000 + SECRETS["url-password"])
    session.meta(f"export GITHUB_TOKEN={token}")
    session.compaction(f"We used {key}.")
    session.line("attachment", attachment={"type": "file", "content": {"api_key": key[:40]}})
    session.unknown()
    session.add({"type": "relic", "uuid": "relic-1", "sessionId": session.id, "deep": [{"secret": token}]})
    session.titled(ai=f"About {token}", custom=f"About {key}")
    session.add({"type": "summary", "summary": f"Used {token}", "leafUuid": session.last_uuid})
    session.add({"type": "last-prompt", "lastPrompt": f"use {token}", "sessionId": session.id})
    session.queued(f"Use {token} too.")
    session.write()
    with (root / "history.jsonl").open("a") as file:
        told = {"display": f"use {token}", "timestamp": 1772355600000, "project": "/home/ana/vault"}
        file.write(json.dumps(told) + "\n")
    report = await memory.transcripts.sync([root])
    assert await memory.recall("token", space="vault")
    text = "\n".join(row for rows in everything(url).values() for row in rows)
    for name, secret in SECRETS.items():
        part = KEY[4:30] if name == "private-key" else secret.split("@")[0].rsplit(":", 1)[-1]
        assert part not in text, name
    counts = report.spaces["vault"].redacted
    assert counts["github-token"] >= 9
    assert counts["anthropic-key"] >= 4
    assert (counts["private-key"], counts["url-password"], counts["password"]) == (1, 1, 1)


async def test_a_session_whose_lines_have_no_id_is_told_and_has_the_name_of_its_file(
    memory: AsyncMemory, root: Path, made: World
) -> None:
    """A number became a session of that name, ``7``, which several files then shared."""
    folder = made.folder("/home/ana/my-boats")
    said = {"type": "user", "cwd": "/home/ana/my-boats", "timestamp": "2026-05-03T10:00:00Z"}
    for name, id_ in {"one": 7, "two": 7, "three": None, "four": ""}.items():
        line = {**said, "uuid": name, "sessionId": id_, "message": {"role": "user", "content": f"Of {name}."}}
        (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    report = await memory.transcripts.sync([root])
    assert {Path(trouble.path).stem for trouble in report.troubles} == {"one", "two", "three", "four"}
    assert all("1 lines whose sessionId is missing or no text" in one.reason for one in report.troubles)
    kept = {one.id: one.messages for one in await memory.transcripts.list(space="my-boats")}
    assert {name: kept.get(name) for name in ("one", "two", "three", "four", "7")} == {
        "one": 1, "two": 1, "three": 1, "four": 1, "7": None,
    }  # fmt: skip


async def test_what_cannot_be_read_is_told_and_the_rest_goes_on(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    folder = made.folder("/home/ana/my-boats")
    (folder / "binary.jsonl").write_bytes(os.urandom(1 << 20).replace(b"\n", b"") + b"\0")
    (folder / "lists.jsonl").write_bytes(b"[1]\nnot json\n\n" + b"[" * 100_000 + b"\n")
    session = made.session("/home/ana/my-boats")
    session.prompt("Grüße vom Hafen.")
    session.prompt("And another.")
    path = session.write()
    path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xfc").replace(b"\\u00fc", b"\xfc"))
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere.jsonl").symlink_to(folder / "nothing")
    report = await memory.transcripts.sync([root, root / "projects", root / "missing"])
    told = {Path(trouble.path).name: trouble.reason for trouble in report.troubles}
    assert "no text" in told["binary.jsonl"]
    assert "2 lines that are no JSON" in told["lists.jsonl"] or "no JSON" in told["lists.jsonl"]
    assert "no objects" in told["lists.jsonl"]
    assert "repaired" in told[path.name]
    assert "cannot be read" in told["nowhere.jsonl"]
    assert "not there" in told["missing"]
    found = sessions(url)
    assert found[session.name].said == [
        ("user", "Gr\ufffd\ufffde vom Hafen."),
        ("user", "And another."),
    ] or found[session.name].said[0][1].startswith("Gr\ufffd")
    assert {name: found[name] for name in made.sessions if name != session.name} == {
        name: truth for name, truth in made.sessions.items() if name != session.name
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
async def test_a_file_without_permission_is_told(memory: AsyncMemory, root: Path, made: World) -> None:
    path = made.session("/home/ana/garden").write()
    path.chmod(0)
    report = await memory.transcripts.sync([root])
    assert [trouble.path for trouble in report.troubles] == [str(path)]


async def test_a_clock_in_the_future_is_told_and_put_right(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    session = made.session("/home/ana/garden", at=datetime(2093, 1, 1, tzinfo=UTC))
    session.prompt("Greetings from tomorrow.")
    path = session.write()
    now = datetime.now(UTC)
    os.utime(path, (now.timestamp() + 900_000,) * 2)
    report = await memory.transcripts.sync([root])
    assert "future" in report.troubles[0].reason
    last = sessions(url)[session.name].last
    assert last is not None
    assert abs(last - now) < timedelta(minutes=5)
    assert await memory.recall("tomorrow", space="garden")


async def test_a_line_of_fifty_megabytes_is_taken_in(memory: AsyncMemory, url: str, root: Path) -> None:
    """A picture in a line of its own; nothing of it is kept but how long it was."""
    made = World(root)
    session = made.session("/home/ana/garden")
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "QUJD" * 12_500_000},
    }
    session.line("user", message={"role": "user", "content": [{"type": "text", "text": "Look."}, picture]})
    session.write()
    report = await memory.transcripts.sync([root])
    assert (report.lines, report.troubles) == (1, ())
    row = (
        psycopg.connect(url)
        .execute("select blocks #>> '{0,source,data_characters}' from transcripts.lines")
        .fetchone()
    )
    assert row == ("50000000",)


async def test_a_half_line_at_the_end_of_a_file_is_told_and_comes_with_its_end(
    memory: AsyncMemory, root: Path
) -> None:
    """Nothing told of it; and what began with one went by the name of its folder."""
    session = World(root).session("/home/ana/garden")
    session.prompt("The roses need water.")
    first = session.write().read_bytes()
    session.prompt("The tulips do not.")
    path = session.write()
    whole = path.read_bytes()
    for length, told in (
        (40, {}),
        (80, {}),
        (len(first) + 40, {"garden": 1}),
        (len(first) + 50, {"garden": 0}),
    ):
        path.write_bytes(whole[:length])
        report = await memory.transcripts.sync([root])
        assert {name: one.lines for name, one in report.spaces.items()} == told
        assert [one.reason for one in report.troubles] == ["its last line has no end yet, and waits for it."]
    assert await memory.transcripts.sync([root]) == replace(report, spaces={}, troubles=(), seconds=ANY)
    path.write_bytes(whole)
    report = await memory.transcripts.sync([root])
    assert (report.spaces["garden"].lines, report.troubles) == (1, ())
    assert [one.name for one in await memory.spaces()] == ["garden"]


async def test_a_line_beyond_all_bounds_is_told_and_passed_over(memory: AsyncMemory, root: Path) -> None:
    made = World(root)
    session = made.session("/home/ana/garden")
    session.prompt("Before.")
    path = session.write()
    with path.open("ab") as file:
        file.truncate(path.stat().st_size + 65 * 1024 * 1024)
        file.seek(0, os.SEEK_END)
        file.write(b"\n")
    session.prompt("After.")
    session.write()
    report = await memory.transcripts.sync([root])
    assert report.lines == 2
    assert "64 MiB" in report.troubles[0].reason
    assert (await memory.transcripts.sync([root])).spaces == {}


async def test_characters_that_no_database_can_store_are_mended(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    made = World(root)
    session = made.session("/home/ana/gar\0den")
    session.prompt(
        "A NUL \0 and half a \ud83d character.", stored="A NUL \ufffd and half a \ufffd character."
    )
    session.tool("Bash\ud800", {"command": "printf '\0'", "\0": ["\udfff"], "n": float("inf")}, "\0" * 9)
    session.pending = [json.dumps(record) for record in session.records]
    session.write()
    report = await memory.transcripts.sync([root], space="garden")
    assert report.lines == 3
    assert sessions(url)[session.name].said == session.truth.said
