"""An import that is killed at any moment and done again equals one that ran through."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from long_form import sized

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

_CONVERSATIONS = 30
_LOADING = """
import sys
from quipu import Memory
with Memory(url=sys.argv[1]) as memory:
    print("ready", flush=True)
    memory.imports.load(sys.argv[2], space=sys.argv[3])
"""
_COMPARED = {
    "messages": "select s.name, m.external_id, m.content, m.item from core.messages m"
    " join core.sessions s on s.space_id = m.space_id and s.id = m.session_id where s.space_id = {}",
    "documents": "select place, key, value::text, body, version from documents.documents where space_id = {}",
    "origins": "select source, kind, source_id, raw::text from core.origins where space_id = {}",
    "imports": "select source, label, sha256, ended_at is not null from core.imports where space_id = {}",
}


def exported(folder: Path) -> Path:
    """An export of Claude.ai with conversations and a project: words, documents and memories."""
    folder.mkdir()
    conversations = [
        {
            "uuid": f"c-{number}", "name": "Boats", "created_at": "2026-05-03T10:00:00Z",
            "chat_messages": [
                {
                    "uuid": f"m-{number}-{turn}", "sender": ("human", "assistant")[turn % 2],
                    "text": f"Boat {number} has {turn} sails.", "created_at": f"2026-05-03T10:00:{turn:02}Z",
                    "attachments": [{"file_name": f"{turn}.txt", "extracted_content": f"wind {number}"}],
                }
                for turn in range(20)
            ],
        }
        for number in range(_CONVERSATIONS)
    ]  # fmt: skip
    memories = [{"conversations_memory": "Restores boats.", "project_memories": {}, "account_uuid": "a"}]
    (folder / "conversations.json").write_text(json.dumps(conversations))
    (folder / "memories.json").write_text(json.dumps(memories))
    return folder


def stored(url: str, space: str) -> dict[str, list[Any]]:
    with psycopg.connect(url) as conn:
        row = conn.execute("select id from core.spaces where name = %s", [space]).fetchone()
        assert row is not None
        return {
            name: sorted(map(repr, conn.execute(query.format(row[0]).encode())))
            for name, query in _COMPARED.items()
        }


def killed(url: str, export: Path, space: str, after_seconds: float) -> None:
    """Begin an import in another process, and kill it."""
    process = subprocess.Popen(
        [sys.executable, "-c", _LOADING, url, str(export), space],
        env={**os.environ, "QUIPU_EMBEDDING_MODEL": "hashing"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as answers:
        assert answers.readline() == "ready\n"
        time.sleep(after_seconds)
        process.kill()
        process.wait()


async def test_killed_and_again_equals_one_that_ran_through(
    memory: AsyncMemory, url: str, tmp_path: Path
) -> None:
    export = exported(tmp_path / "claude")
    began = time.monotonic()
    await memory.imports.load(export, space="whole")
    seconds = time.monotonic() - began
    moments = random.Random(7)
    for round_ in range(sized(2, long=20)):
        space = f"killed-{round_}"
        for _ in range(2):
            after = moments.uniform(0, seconds)
            await anyio.to_thread.run_sync(killed, url, export, space, after)
        await memory.imports.load(export, space=space)
        assert stored(url, space) == stored(url, "whole")
