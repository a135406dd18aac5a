"""What `quipu` says of erasures: freed pages that are rewritten, and lines that an import leaves out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli_process import CommandLine
from patience import until

from quipu.receipts import plain
from quipu.upkeep.erasure.receipts import KeyPair, fingerprint, sign

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
        kept = json.dumps(quipu.json("receipts", "get", receipt))
        assert '"rewritten"' not in kept
    # A server that has much to do still shows, for a moment, who has left.
    assert until(lambda: "Rewritten: " in quipu.run("forget", "--rewrite", receipt, "--yes").stdout)
    assert '"rewritten"' in json.dumps(quipu.json("receipts", "get", receipt))


def test_an_import_says_what_it_leaves_out_and_takes_it_in_when_asked(quipu: CommandLine) -> None:
    quipu.text("import", "jsonl", "said.jsonl")
    quipu.text("forget", "--user", "marisol", "--yes")
    told = quipu.run("import", "jsonl", "said.jsonl").stdout
    assert "1 message that was erased; --erased-too takes them in" in told
    assert "withheld" not in quipu.text("import", "jsonl", "said.jsonl", "--erased-too")


def test_receipts_that_cannot_be_believed_are_told_so_with_an_exit_code(
    quipu: CommandLine, tmp_path: Path
) -> None:
    quipu.text("import", "jsonl", "said.jsonl")
    receipt = quipu.json("forget", "--user", "marisol", "--yes")["receipt"]
    key, told = quipu.text("receipts", "key").split()[0], quipu.text("receipts", "get", receipt, "--json")
    file = tmp_path / "receipt.json"

    def verified(text: str) -> tuple[int, str]:
        file.write_text(text)
        done = quipu.run("receipts", "verify", "receipt.json", "--key", key)
        assert "Traceback" not in done.stdout + done.stderr
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def changed(change: Callable[[dict[str, Any]], object]) -> str:
        document = json.loads(told)
        change(document["items"][0])
        return json.dumps(document)

    assert "2 receipts hold." in verified(told)[1]
    of_another = KeyPair.new()
    stranger = plain(sign({"id": receipt, "number": 1, "key": fingerprint(of_another.public)}, of_another))
    for text, code, why in (
        (changed(lambda one: one["receipt"].update(rows={})), 1, "signature of receipt 1 does not hold"),
        (changed(lambda one: one["receipt"].update(pad="x" * 50_000_000)), 1, "it was changed"),
        (json.dumps(stranger), 1, "receipt 1 was signed with another key"),
        (f'{{"items": [{told}', 2, "line 1 is no JSON"),
        (told + " " * 68_000_000, 2, "longer than 64 MiB"),
        (changed(lambda one: one.update(signature=7)), 2, "a receipt has receipt, signature and public_key"),
    ):
        ended, said = verified(text)
        assert (ended, why in said) == (code, True), said
    for wrong, why in ((str(of_another.public.hex()), "no id"), ("0" * 8 + receipt[8:], "no receipt")):
        done = quipu.run("forget", "--check", wrong)
        assert done.returncode not in (0, 1), done
        assert why in done.stderr
    done = quipu.run("forget", "--space", "other", "--check", receipt)
    assert done.returncode not in (0, 1), done
    assert "There is no receipt" in done.stderr


def test_a_pipe_that_is_named_as_a_file_is_refused_and_not_waited_for(
    quipu: CommandLine, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    for command in (
        ("import", "jsonl", "pipe"),
        ("receipts", "verify", "pipe"),
        ("observe", "--file", "pipe"),
        ("forget", "--check", "x", "--for", "pipe"),
        ("snapshots", "import-dump", "pipe"),
        ("transcripts", "import-sqlite", "pipe"),
        ("longterm", "import-sqlite", "pipe"),
        ("import", "claude-code", "pipe"),
    ):
        done = quipu.run(*command)
        assert done.returncode not in (0, 1), done
        assert "pipe" in done.stderr, done
    assert "on standard input: -" in quipu.run("import", "jsonl", "pipe").stderr
    assert "1" in quipu.text("import", "jsonl", "-", given=json.dumps(LINE))
