"""Receipts hold where nothing was changed, left out, added or moved, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.receipts import Receipt, digest, fingerprint, key_of, plain, read, verify
from quipu.upkeep.erasure.receipts import START, KeyPair, sign

PAIR = KeyPair.new()


def chain(length: int, *, pair: KeyPair = PAIR) -> list[Receipt]:
    """Receipts of two spaces, in turn."""
    made: list[Receipt] = []
    previous, last = START, {0: START, 1: START}
    for number in range(1, length + 1):
        space = number % 2
        document = {
            "type": "erasure",
            "id": f"r{number}",
            "key": fingerprint(pair.public),
            "number": number,
            "previous": previous,
            "rows": {"messages": number},
            "space": space,
            "space_number": (number + 1) // 2,
            "space_previous": last[space],
        }
        made.append(sign(document, pair))
        previous = last[space] = digest(document)
    return made


def test_a_whole_chain_holds_in_whatever_order_it_comes() -> None:
    found = verify(chain(6)[::-1], key=PAIR.public)
    assert (found.holds, found.faults, found.missing, found.key_given) == (True, (), (), True)


def test_a_receipt_that_was_left_out_is_missed() -> None:
    receipts = chain(6)
    assert verify(receipts[:2] + receipts[4:]).missing == (3, 4)
    of_space = [one for one in receipts if one.document["space"] == 1]
    assert verify(of_space).holds


@given(st.integers(0, 4), st.sampled_from(["rows", "number", "previous", "space_previous", "id", "more"]))
def test_whatever_is_changed_is_seen(place: int, name: str) -> None:
    receipts = chain(5)
    changed: dict[str, Any] = {**receipts[place].document, name: "x" if name != "rows" else {"messages": 0}}
    receipts[place] = replace(receipts[place], document=changed)
    assert not verify(receipts, key=PAIR.public).holds


def test_a_chain_that_was_signed_anew_is_of_another_key() -> None:
    forged = chain(3, pair=KeyPair.new())
    assert verify(forged).holds  # with the key that it brings along
    assert not verify(forged, key=PAIR.public).holds
    assert not verify([*chain(3)[:2], forged[2]]).holds


def test_two_receipts_of_one_number_do_not_hold() -> None:
    first, other = chain(1), chain(2)
    document = {**other[1].document, "number": 1, "previous": START}
    assert not verify([*first, sign(document, PAIR)], key=PAIR.public).holds


def test_what_is_written_is_read_in_every_form() -> None:
    receipts = chain(3)
    told = [plain(one) for one in receipts]
    for text in (json.dumps(told), json.dumps({"items": told}), "\n".join(map(json.dumps, told))):
        assert read(text) == receipts
    assert read(json.dumps(told[0], indent=2)) == receipts[:1]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "x", '{"receipt": {}}', '[{"receipt": 1}]', '{"a": 1}\nx', "7"]
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read(text)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"receipt":' + "[" * 200_000, "[" * 101 + "]" * 101])
def test_what_is_nested_too_deep_is_refused_as_a_receipt_and_as_a_key(text: str) -> None:
    with pytest.raises(BadInput, match="deep"):
        read(text)
    with pytest.raises(BadInput, match="no public key"):
        key_of(text)


@pytest.mark.parametrize("space", [[1], {}, None, "1", 1.5])
def test_a_receipt_of_a_space_that_is_no_number_does_not_hold(space: object) -> None:
    first, second = chain(2)
    forged = replace(second, document={**second.document, "space": space})
    assert not verify([first, forged], key=PAIR.public).holds


def test_a_number_that_nobody_has_counted_to_costs_nothing() -> None:
    far = sign({**chain(1)[0].document, "number": 10**15}, KeyPair.new())
    found = verify([*chain(1), far], key=PAIR.public)
    assert (found.holds, found.missing) == (False, tuple(range(2, 1_002)))


def test_a_number_that_json_has_not_is_no_receipt() -> None:
    text = json.dumps([plain(one) for one in chain(2)]).replace('"messages": 1', '"messages": NaN')
    with pytest.raises(BadInput, match="line 1"):
        read(text)


def test_a_key_is_read_as_it_is_printed() -> None:
    told = str(plain(chain(1)[0])["public_key"])
    assert key_of(told + "\n") == key_of(json.dumps({"public_key": told})) == PAIR.public
    for text in ("", "x", "AAAA", "{}"):
        with pytest.raises(BadInput, match="key"):
            key_of(text)
