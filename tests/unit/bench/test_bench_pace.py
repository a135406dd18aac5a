from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from pace import environments, statements, usage
from pace.adapter import PEERS, batches
from pace.facts import QUESTIONS, facts, queries
from pace.figures import Round, Row, middle, percentile, ratio
from pace.process import Process, StoreFailed
from pace.report import show, show_sizes, write
from pace.server import Relation
from pace.worker import Job


def test_facts_are_the_same_on_every_run_and_longer_runs_begin_alike():
    assert facts(50, 5) == facts(50, 5)
    assert facts(80, 5)[:50] == facts(50, 5)


def test_the_largest_user_has_the_largest_share():
    sizes = Counter(fact.user for fact in facts(5000, 20))
    assert len(sizes) == 20
    assert 0.24 < sizes["user-00"] / 5000 < 0.31
    assert sizes["user-19"] / 5000 < 0.02


def test_a_question_names_what_its_fact_is_about_but_does_not_repeat_it():
    stored = facts(1000, 5)
    asked = queries(stored)
    assert len(asked) == QUESTIONS
    for query in asked:
        fact = stored[query.fact]
        assert (query.user, query.fact_id) == (fact.user, fact.id)
        assert fact.subject in query.text
        assert fact.text not in query.text
        assert all(word in fact.text for word in fact.subject.split())


def test_percentiles_are_values_that_were_measured():
    assert percentile([5.0, 1.0, 3.0], 0.5) == 3.0
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([7.0], 0.95) == 7.0


def test_the_ratio_compares_within_a_round():
    ours = [Round((2.0,), None), Round((40.0,), None), Round((6.0,), 1.0)]
    reference = [Round((1.0,), None), Round((20.0,), None), Round((1.0,), 1.0)]
    assert ratio(ours, reference) == 2.0
    assert middle(ours, "p50") == 6.0
    assert middle(ours, "cpu_ms") == 1.0
    assert middle([], "p50") is None


def test_batches_keep_order_and_end():
    assert list(batches(range(5), 2)) == [[0, 1], [2, 3], [4]]


def test_every_environment_of_a_peer_is_pinned_without_hosts():
    wanted = environments.wanted()
    stores = {"haystack", "google-adk", "pydantic-ai", "agent-framework"}
    stores |= {"openai-agents", "anthropic"}
    only_their_tests = stores | {"strands", "crewai", "llama-index", "cognee", "portable-memory"}
    assert {peer.environment for peer in PEERS.values()} - {None} | only_their_tests == set(wanted)
    for requirements in wanted.values():
        assert all("==" in requirement and "://" not in requirement for requirement in requirements)


def test_each_statement_has_a_name_and_an_end():
    assert set(statements.load("server")) == {"database", "relations", "settle"}
    assert all(not text.endswith(b";") for text in statements.load("reference").values())


@pytest.mark.skipif(not Path("/proc").exists(), reason="CPU time of others is read from /proc")
def test_the_usage_of_this_very_process_is_seen():
    assert os.getpid() in usage.tree(os.getppid())
    before = usage.cpu_seconds([os.getpid()])
    while (now := usage.cpu_seconds([os.getpid()])) == before:
        sum(range(100_000))
    assert now > before
    assert usage.resident_mb(os.getpid()) > 10


def numpy_job(folder: Path, peer: str = "numpy", count: int = 300) -> Job:
    texts = [fact.text for fact in facts(count + 10, 3)]
    texts += [query.text for query in queries(facts(count, 3))]
    words = [np.bincount([hash_of(word) for word in text.split()], minlength=384) for text in texts]
    vectors = np.array(words, np.float32)
    np.save(folder / "vectors.npy", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return Job(peer, str(folder / "data"), "", str(folder / "vectors.npy"), count, 10, 3, {})


def hash_of(word: str) -> int:
    return sum(ord(letter) * 31**place for place, letter in enumerate(word.strip("?,.;"))) % 384


def test_a_store_in_its_own_process_loads_adds_and_finds(tmp_path: Path):
    with Process(numpy_job(tmp_path), log=tmp_path / "log") as process:
        process.wait_until_open()
        assert process.ask("warm") == {"facts": 310, "queries": 200}
        assert process.ask("bulk", seconds=60)["count"] == 300
        assert len(process.ask("add", start=300, count=10)["ms"]) == 10
        answer = process.ask("search", loaded=300, seconds=60)
        assert answer["asked"] == 200
        assert answer["hits"] > 150
        assert answer["short"] == 0
        assert process.ask("clients", threads=2, seconds=0.2, loaded=300)["qps"] > 0
        process.ask("close")


def test_what_was_added_is_there_for_the_next_process(tmp_path: Path):
    job = numpy_job(tmp_path)
    with Process(job, log=tmp_path / "log") as process:
        process.wait_until_open()
        process.ask("bulk", seconds=60)
        process.ask("close")
    query = queries(facts(300, 3))[0]
    with Process(job, log=tmp_path / "log") as process:
        process.wait_until_open()
        assert query.fact_id in process.ask("one", user=query.user, question=query.text)["found"]


def test_a_loading_that_takes_too_long_is_cut_and_says_how_far_it_came(tmp_path: Path):
    with Process(numpy_job(tmp_path), log=tmp_path / "log") as process:
        process.wait_until_open()
        assert process.ask("bulk", seconds=0)["count"] < 300


def test_a_store_that_cannot_be_opened_says_why(tmp_path: Path):
    (tmp_path / "data").write_text("in the way")
    with (
        Process(numpy_job(tmp_path), log=tmp_path / "log") as process,
        pytest.raises(StoreFailed, match="FileExistsError"),
    ):
        process.wait_until_open()


def test_an_unknown_question_ends_the_process_with_its_error(tmp_path: Path):
    with Process(numpy_job(tmp_path), log=tmp_path / "log") as process:
        process.wait_until_open()
        with pytest.raises(StoreFailed, match="KeyError"):
            process.ask("one", user="user-00", question="never heard of")


def test_the_table_shows_a_failed_store_with_its_reason(capsys: pytest.CaptureFixture[str]):
    done = Row(
        "ref", loaded=10, bulk_seconds=2.0, searches=[Round((1.0, 3.0), 0.5)], asked=4, hits=3, short=1
    )
    show(Console(width=200, file=sys.stdout), [done, Row("chroma", error="loading: no room")], title="t")
    printed = capsys.readouterr().out
    assert "0.750" in printed
    assert "chroma: loading: no room" in printed


def test_the_sizes_are_shares_of_the_whole(capsys: pytest.CaptureFixture[str]):
    relations = [Relation("facts", "r", "facts", 3000), Relation("facts_pkey", "i", "facts", 1000)]
    show_sizes(Console(width=100, file=sys.stdout), relations, 10, title="quipu")
    printed = capsys.readouterr().out
    assert "400 bytes for one memory" in printed
    assert "25.0%" in printed


def test_the_json_has_every_single_duration(tmp_path: Path):
    row = Row("ref", asked=2, hits=1, searches=[Round((1.5, 2.5), None)])
    write(tmp_path / "out.json", [row], {"n": 2}, {})
    (store,) = json.loads((tmp_path / "out.json").read_text())["stores"]
    assert store["searches"][0]["ms"] == [1.5, 2.5]
    assert store["hit_rate"] == 0.5
