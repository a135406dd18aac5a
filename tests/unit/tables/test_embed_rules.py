"""How fields become entries, and what must change in the index for that."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.tables.embedding.model import EntryPlace, IndexedPart
from quipu.kinds.tables.embedding.rules import (
    MOST_CHARACTERS,
    WHOLE_CHARACTERS,
    digest,
    key_values,
    parts,
    plan,
    wanted,
)

TEXTS = st.dictionaries(st.sampled_from(["title", "body"]), st.text(min_size=1, max_size=40))
ROWS = st.dictionaries(st.sampled_from(["1", "2", "3"]), TEXTS)


def filed(values: dict[str, dict[str, str]]) -> dict[EntryPlace, IndexedPart]:
    target = wanted(values)
    return {
        place: IndexedPart(-number, one.content_hash, one.field_hash)
        for number, (place, one) in enumerate(target.items(), start=1)
    }


def test_a_short_field_is_one_entry_with_the_number_0() -> None:
    assert list(parts("a" * WHOLE_CHARACTERS)) == [(0, "a" * WHOLE_CHARACTERS)]


def test_a_long_field_is_cut_into_parts_from_1_that_make_it_up_again() -> None:
    text = "The dwarf went home. " * 300
    found = list(parts(text))
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    assert "".join(part for _, part in found) == text
    assert max(len(part) for _, part in found) <= 2 * WHOLE_CHARACTERS


def test_what_lies_beyond_the_limit_is_not_read() -> None:
    text = "x" * MOST_CHARACTERS
    assert list(parts(text + "secret")) == list(parts(text))


def test_the_hash_is_sha_256() -> None:
    assert digest("Thorin") == sha256(b"Thorin").hexdigest()


def test_a_key_of_several_columns_is_a_json_array() -> None:
    assert key_values("5", 1) == ("5",)
    assert key_values('["a", "b\\nc"]', 2) == ("a", "b\nc")
    assert key_values('["a"]', 2) is None
    assert key_values("no json", 2) is None


def test_secrets_are_not_in_what_is_kept() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    kept = wanted({"1": {"body": f"the token is {secret}"}})[EntryPlace("1", "body", 0)]
    assert secret not in kept.content
    assert kept.content_hash == digest(kept.content)
    assert kept.field_hash == digest(f"the token is {secret}")


@given(before=ROWS, after=ROWS)
@settings(max_examples=50)
def test_a_plan_leads_from_any_state_to_any_other_and_touches_nothing_that_stays(
    before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]
) -> None:
    known = filed(before)
    steps = plan(known, after)
    stays = {place: one for place, one in known.items() if one.entry_id not in steps.gone}
    reached = {place: one.content_hash for place, one in stays.items()}
    assert not reached.keys() & steps.new.keys()
    reached |= {place: one.content_hash for place, one in steps.new.items()}
    assert reached == {place: one.content_hash for place, one in wanted(after).items()}
    if before == after:
        assert not steps.gone
        assert not steps.new
        assert not steps.rehashed


def test_a_part_stays_where_another_part_of_its_field_changed() -> None:
    text = "The dwarf went home. " * 100
    steps = plan(filed({"1": {"body": text}}), {"1": {"body": text + "And the end."}})
    assert 1 not in {place.chunk for place in steps.new}
    assert set(steps.rehashed.values()) == {digest(text + "And the end.")}
