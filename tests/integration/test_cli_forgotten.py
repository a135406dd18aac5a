"""What `quipu` says of erasures: freed pages that are written anew, and lines that an import leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine

LINE = {"content": "I live in Lisbon.", "user": "marisol", "session": "s1", "time": "2026-03-01T10:00:00Z"}


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    (tmp_path / "said.jsonl").write_text(json.dumps(LINE) + "\n")
    return CommandLine(
        tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_SPACE": "team"}
    )


def test_freed_pages_are_written_anew_after_a_preview_and_while_nobody_looks_back(
    quipu: CommandLine, url: str
) -> None:
    quipu.text("import", "jsonl", "said.jsonl")
    receipt = quipu.json("forget", "--user", "marisol", "--yes")["receipt"]
    assert "Nothing was changed" in quipu.text("forget", "--rewrite", receipt)
    with psycopg.connect(url) as conn:
        conn.execute("set transaction isolation level repeatable read")
        conn.execute("select 1")
        refused = quipu.run("forget", "--rewrite", receipt, "--yes")
        assert refused.returncode != 0
        assert "1 transactions are open" in refused.stderr
        kept = json.dumps(quipu.json("receipt", "show", receipt))
        assert '"rewritten"' not in kept
    assert "Written anew: " in quipu.run("forget", "--rewrite", receipt, "--yes").stdout
    assert '"rewritten"' in json.dumps(quipu.json("receipt", "show", receipt))


def test_an_import_says_what_it_leaves_out_and_takes_it_in_when_asked(quipu: CommandLine) -> None:
    quipu.text("import", "jsonl", "said.jsonl")
    quipu.text("forget", "--user", "marisol", "--yes")
    told = quipu.run("import", "jsonl", "said.jsonl").stdout
    assert "1 message that was erased; --erased-too takes them in" in told
    assert "withheld" not in quipu.text("import", "jsonl", "said.jsonl", "--erased-too")
