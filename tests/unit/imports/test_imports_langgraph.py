"""LangGraph: items where our store reads them, and the messages of the newest checkpoint of a thread."""

from __future__ import annotations

import json
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as
from langgraph.graph.message import add_messages
from sqlite_stores import database, unpacked, with_any_cell

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Said
from quipu.app.imports.sources.langchain_messages import merged, messages_in
from quipu.app.imports.sources.langgraph import SOURCE
from quipu.app.imports.sources.langgraph_threads import _time_of_id
from quipu.compat.langgraph import work
from quipu.errors import BadInput

STORES = EXPORTS / "langgraph"
AT = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)


def said(found: list[Found]) -> dict[str, list[Said]]:
    threads: dict[str, list[Said]] = {}
    for one in found:
        if isinstance(one, Said):
            threads.setdefault(one.session or "", []).append(one)
    return threads


def test_items_stand_where_our_store_reads_them() -> None:
    found, account = imported(SOURCE, STORES / "store.zip")
    items = {(one.path, one.key): one for one in found if isinstance(one, Filed)}
    assert {place: one.value for place, one in items.items()} == {
        (("memories", "ana"), "m1"): {"text": "Ana moved to Lisbon in May.", "kind": "fact"},
        (("memories", "ana"), "m2"): {"text": "Prefers very short answers. 短い答え", "importance": 4},
        (("memories", "ben", "work"), "m1"): {
            "text": "Ben ships on Fridays.",
            "tags": ["work", "habit"],
            "by": {"session": "t-1"},
        },
        (("profiles",), "ana"): {"name": "Ana", "pets": [{"name": "Rex", "kind": "dog"}]},
    }
    one = items[("memories", "ben", "work"), "m1"]
    assert work._item(one) == {
        "namespace": ("memories", "ben", "work"),
        "key": "m1",
        "value": one.value,
        "created_at": datetime(2026, 11, 22, 10, 58, 30, tzinfo=UTC),
        "updated_at": datetime(2026, 11, 22, 10, 58, 30, tzinfo=UTC),
    }
    assert (one.id, one.ttl_seconds) == ("memories.ben.work/m1", 86_400)
    assert one.expires_at == datetime(2026, 11, 23, 10, 58, 30, 428_084, UTC)
    assert (one.body, one.metadata, one.index, one.user) == (None, {}, True, None)
    assert (account.refused, account.dropped) == ([], {})
    assert len(account.assumed) == 2  # the zone, and the dots
    assert recognised_as(STORES / "store.zip") == recognised_as(STORES / "threads.zip") == "langgraph"


def test_threads_have_the_messages_that_langgraph_gives() -> None:
    """With a delta channel and without; one was removed, and a state was changed by hand."""
    truth = json.loads((STORES / "threads.json").read_text())
    found, account = imported(SOURCE, STORES / "threads.zip")
    assert {thread: [one.id for one in ours] for thread, ours in said(found).items()} == {
        thread: [id_ for id_, _, _ in theirs] for thread, theirs in truth.items()
    }
    for thread, theirs in truth.items():
        for one, (_, kind, content) in zip(said(found)[thread], theirs, strict=True):
            assert one.role == {"human": "user", "ai": "assistant"}.get(kind, kind)
            is_text = isinstance(content, str) and kind != "tool"
            assert one.content == (content if is_text else "" if kind == "tool" else "look")
            assert one.heard == (kind != "system")
            assert one.user == "ana"
        times = [one.time for one in said(found)[thread] if one.time]
        assert times == sorted(times)
        assert len(times) == len(theirs)
    assert account.refused == []
    assert account.left_out == {"an earlier state of a thread": 50}
    assert account.dropped["state.note"] == account.dropped["state.topics"] == 1


def test_calls_and_what_they_gave_are_items_without_words() -> None:
    found, _ = imported(SOURCE, STORES / "threads.zip")
    call, output = (one for one in said(found)["delta-a"] if one.item is not None)
    assert (call.role, call.content) == ("assistant", "")
    assert call.item
    assert call.item["tool_calls"][0]["args"] == {"city": "Lisbon"}
    assert (output.role, output.content) == ("tool", "")
    assert output.item
    assert output.item["content"] == "sunny"


def test_messages_have_the_time_of_the_checkpoint_that_they_were_written_on() -> None:
    found, account = imported(SOURCE, STORES / "threads.zip")
    first, *_, last = said(found)["plain-a"]
    assert first.time
    assert last.time
    assert first.time < last.time
    assert any("checkpoint" in sentence for sentence in account.assumed)


def human(text: str, id_: str | None = "h1", **more: Any) -> ormsgpack.Ext:
    fields = {"content": text, "type": "human", "id": id_, "additional_kwargs": {}, **more}
    parts = ["langchain_core.messages.human", "HumanMessage", fields, "model_validate_json"]
    return ormsgpack.Ext(5, ormsgpack.packb(parts))


def checkpoint(values: dict[str, Any], *, thread: str = "t", **more: Any) -> dict[str, Any]:
    whole = {
        "v": 4,
        "ts": "2026-05-03T10:00:00+00:00",
        "id": "1",
        "channel_values": values,
        "channel_versions": {},
    }
    return {
        "thread_id": thread,
        "checkpoint_ns": "",
        "checkpoint_id": "1",
        "parent_checkpoint_id": None,
        "type": "msgpack",
        "checkpoint": ormsgpack.packb(whole),
        "metadata": b'{"user_id": "ana", "source": "loop"}',
        **more,
    }


def read(path: Path, *checkpoints: dict[str, Any]) -> tuple[list[Found], Account]:
    return imported(SOURCE, database(path / "threads.sqlite", {"checkpoints": checkpoints}))


def test_a_thread_without_writes_has_the_time_of_its_checkpoint(tmp_path: Path) -> None:
    (one,), account = read(tmp_path, checkpoint({"messages": [human("Hi.", name="Ana")], "n": 1}))
    assert isinstance(one, Said)
    assert (one.id, one.session, one.content, one.speaker, one.time) == ("h1", "t", "Hi.", "Ana", AT)
    assert account.dropped == {"state.n": 1, "metadata.source": 1}


def test_json_of_older_and_of_other_languages_is_read(tmp_path: Path) -> None:
    path = ["langchain", "schema", "messages", "AIMessage"]
    made = {"lc": 1, "type": "constructor", "id": path, "kwargs": {"content": "Hi.", "id": "a1"}}
    whole = {
        "ts": "2026-05-03T10:00:00Z",
        "channel_values": {"messages": [made, {"role": "user", "content": "Ho."}]},
    }
    row = checkpoint({}, type="json", checkpoint=json.dumps(whole).encode())
    first, second = read(tmp_path, row)[0]
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert (first.id, first.role, first.content) == ("a1", "assistant", "Hi.")
    assert (second.role, second.content, len(second.id)) == ("user", "Ho.", 24)


def test_messages_without_ids_keep_theirs_across_exports(tmp_path: Path) -> None:
    alike = [human("Yes.", None), human("No.", None), human("Yes.", None)]
    first, _ = read(tmp_path, checkpoint({"messages": alike}))
    ids = [one.id for one in first]
    assert len(set(ids)) == 3
    assert [one.id for one in read(tmp_path, checkpoint({"messages": [*alike, human("More.")]}))[0]][
        :3
    ] == ids


def test_a_message_in_two_channels_comes_once(tmp_path: Path) -> None:
    found, _ = read(tmp_path, checkpoint({"messages": [human("Hi.")], "others": human("Hi.")}))
    assert [one.id for one in found] == ["h1"]


@pytest.mark.parametrize("kind", ["pickle", "msgpack+aes", "", None, b"json"])
def test_pickles_and_what_is_encrypted_are_refused_by_their_thread(kind: Any, tmp_path: Path) -> None:
    found, account = read(tmp_path, checkpoint({}, type=kind), checkpoint({"m": [human("Hi.")]}, thread="u"))
    assert [one.id for one in found] == ["h1"]
    assert "thread t" in account.refused[0]


def test_a_class_that_a_checkpoint_names_is_not_imported(tmp_path: Path) -> None:
    sys.modules.pop("antigravity", None)
    parts = ["antigravity", "HumanMessage", {"content": "Hi.", "type": "human", "id": "h1"}, "fly"]
    (one,), _ = read(tmp_path, checkpoint({"m": [ormsgpack.Ext(5, ormsgpack.packb(parts))]}))
    assert isinstance(one, Said)
    assert one.content == "Hi."
    assert "antigravity" not in sys.modules


def test_inner_graphs_and_earlier_states_are_told(tmp_path: Path) -> None:
    rows = [
        checkpoint({"m": [human("Old.")]}, checkpoint_id="0"),
        checkpoint({"m": [human("New.")]}),
        checkpoint({"m": [human("Inner.", "i")]}, checkpoint_ns="child:1", checkpoint_id="9"),
    ]
    (one,), account = read(tmp_path, *rows)
    assert isinstance(one, Said)
    assert one.content == "New."
    assert account.left_out == {"an earlier state of a thread": 1, "a state of an inner graph": 1}


def test_a_chain_of_parents_that_is_a_loop_ends(tmp_path: Path) -> None:
    counters = b'{"counters_since_delta_snapshot": {"messages": [1, 1]}}'
    rows = [
        checkpoint({}, metadata=counters, parent_checkpoint_id="0"),
        checkpoint({}, checkpoint_id="0", parent_checkpoint_id="1"),
    ]
    assert read(tmp_path, *rows)[0] == []


WRITE = {
    "thread_id": "t",
    "checkpoint_ns": "",
    "checkpoint_id": "1f1e663a-893f-6c04-8004-435f46ef1e38",
    "task_id": "a",
    "task_path": "",
    "idx": 0,
    "channel": "messages",
    "type": "msgpack",
    "value": ormsgpack.packb([human("Hi.")]),
}


def delta(path: Path, *writes: Any) -> list[str]:
    """What a delta channel comes to, with a write for each value on the parent of the newest checkpoint."""
    head = "1f1e663a-8940-6c04-8004-435f46ef1e38"
    counters = b'{"counters_since_delta_snapshot": {"messages": [1, 1]}}'
    base = ormsgpack.Ext(7, ormsgpack.packb([human("First.", "f")]))
    rows = [
        checkpoint({"messages": base}, checkpoint_id=WRITE["checkpoint_id"]),
        checkpoint({}, checkpoint_id=head, parent_checkpoint_id=WRITE["checkpoint_id"], metadata=counters),
    ]
    told = [{**WRITE, "idx": place, "value": ormsgpack.packb(one)} for place, one in enumerate(writes)]
    found, account = imported(
        SOURCE, database(path / "x.sqlite", {"checkpoints": rows, "writes": told[::-1]})
    )
    assert account.refused == []
    return [one.content for one in found if isinstance(one, Said)]


def removal(id_: str) -> ormsgpack.Ext:
    fields = {"content": "", "type": "remove", "id": id_}
    return ormsgpack.Ext(5, ormsgpack.packb(["langchain_core.messages.modifier", "RemoveMessage", fields]))


def test_a_delta_channel_is_what_was_written_since_its_snapshot(tmp_path: Path) -> None:
    whole = ormsgpack.Ext(
        2, ormsgpack.packb(["langgraph.types", "Overwrite", {"value": [human("Whole.", "w")]}])
    )
    assert delta(tmp_path, [human("Two.", "b")], human("Three.", "c")) == ["First.", "Two.", "Three."]
    assert delta(tmp_path, [human("Changed.", "f")]) == ["Changed."]
    assert delta(tmp_path, [human("Two.", "b")], [removal("f"), removal("none")]) == ["Two."]
    assert delta(tmp_path, [removal("__remove_all__"), human("New.", "n")]) == ["New."]
    assert delta(tmp_path, [human("Two.", "b")], whole, [human("Last.", "l")]) == ["Whole.", "Last."]
    assert delta(tmp_path, {"__overwrite__": [human("A.", "a")]}) == ["A."]
    assert delta(tmp_path, {"type": "__overwrite__", "value": None}) == []


def test_merging_is_that_of_langgraph() -> None:
    left: Any = [{"role": "user", "content": "a", "id": "1"}, {"role": "user", "content": "b", "id": "2"}]
    right: Any = [{"role": "ai", "content": "c", "id": "3"}, {"role": "user", "content": "B", "id": "2"}]
    theirs: Any = add_messages(left, right)
    ours = merged(messages_in(left), messages_in(right))
    assert [(one["id"], one["content"]) for one in ours] == [(one.id, one.content) for one in theirs]


ITEM = {
    "prefix": "a.b",
    "key": "k",
    "value": b'{"text": "x", "tags": ["y"]}',
    "created_at": "2026-05-03 10:00:00",
    "updated_at": "2026-05-03 10:00:00",
    "expires_at": None,
    "ttl_minutes": None,
}


def test_an_item_is_found_by_what_it_was_found_by(tmp_path: Path) -> None:
    """One that has no vector though it has such a text was kept out of the search."""
    items = [{**ITEM, "key": key} for key in ("all", "tags", "hidden")] + [
        {**ITEM, "key": "no", "value": "{}"}
    ]
    places = {"all": ["text"], "tags": ["tags[*].0", "tags[*].1"]}
    vectors = [
        {"prefix": "a.b", "key": key, "field_name": field, "embedding": b"\0"}
        for key, fields in places.items()
        for field in fields
    ]
    path = database(tmp_path / "store.sqlite", {"store": items, "store_vectors": vectors})
    found, account = imported(SOURCE, path)
    assert {one.key: one.index for one in found if isinstance(one, Filed)} == {
        "all": ["text"],
        "hidden": False,
        "no": True,
        "tags": ["tags[*]"],
    }
    assert account.dropped == {"store_vectors.embedding": 3}


def test_a_store_of_before_times_to_live_is_read(tmp_path: Path) -> None:
    old = {name: ITEM[name] for name in ("prefix", "key", "value", "created_at", "updated_at")}
    (one,), _ = imported(SOURCE, database(tmp_path / "store.sqlite", {"store": [old]}))
    assert isinstance(one, Filed)
    assert (one.value, one.expires_at, one.ttl_seconds) == ({"text": "x", "tags": ["y"]}, None, None)


@given(tables=with_any_cell({"store": [ITEM, {**ITEM, "key": "l"}]}))
def test_any_store_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "store.sqlite", tables)
    imported_or_refused(SOURCE, path, name="store.sqlite")


@given(tables=with_any_cell({"checkpoints": [checkpoint({"m": [human("Hi.")]})], "writes": [WRITE]}))
def test_any_checkpoint_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "threads.sqlite", tables)
    imported_or_refused(SOURCE, path, name="threads.sqlite")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers(-5, 5)
    | st.text(max_size=5)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "type", "role", "id", "name", "tool_calls", "lc", "kwargs"]), inner
        )
        | st.tuples(st.sampled_from([0, 5, 7]), st.lists(inner, max_size=4)).map(
            lambda made: ormsgpack.Ext(made[0], ormsgpack.packb(made[1]))
        )
    ),
    max_leaves=12,
)


@given(value=VALUES, about=VALUES)
def test_any_state_is_refused_at_most(
    value: Any, about: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fields = {"content": value, "type": "human", "id": about, "name": value, "additional_kwargs": about}
    message = ormsgpack.Ext(5, ormsgpack.packb(["m", "HumanMessage", fields]))
    row = checkpoint({"a": value, "messages": [message, about], "ts": about})
    found, _ = read(tmp_path_factory.getbasetemp() / "any", row)
    assert json.dumps([one.raw for one in found])


def test_what_is_no_store_is_refused_by_its_name(tmp_path: Path) -> None:
    path = database(tmp_path / "other.sqlite", {"store": [{"x": 1}]})
    with pytest.raises(BadInput, match=r"other\.sqlite"):
        imported(SOURCE, path)


def test_ids_of_checkpoints_tell_the_time() -> None:
    assert _time_of_id("1f1e663a-893f-6c04-8004-435f46ef1e38") == datetime(
        2026, 11, 22, 10, 58, 32, 961_741, UTC
    )
    for other in (str(uuid.uuid4()), "x", None, 5):
        assert _time_of_id(other) is None


def test_a_store_in_a_folder_is_found_among_others(tmp_path: Path) -> None:
    unpacked(STORES / "store.zip", tmp_path / "inner")
    (tmp_path / "notes.txt").write_text("x")
    found, account = imported(SOURCE, tmp_path)
    assert len(found) == 4
    assert account.left_out == {"a file that is not of LangGraph": 1}
