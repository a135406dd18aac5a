"""What a server decides without asking anybody: names, rates, sessions, tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import AccessRefused, BadInput, ConfigError, Outdated
from quipu.interfaces.serving import addresses, confirmation
from quipu.interfaces.serving.caller import Caller
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.rates import Rates, burst
from quipu.interfaces.serving.signin import BrowserSession
from quipu.upkeep.keys.model import id_in, new_token, opens, sha256


class Hands:
    """A clock that is turned by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1", "[::1]"])
def test_the_own_machine_needs_no_keys(host: str) -> None:
    addresses.check(host, keys=0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "memory.example.org", ""])
def test_other_machines_are_let_in_only_where_there_are_keys(host: str) -> None:
    with pytest.raises(ConfigError, match="no API key"):
        addresses.check(host, keys=0)
    addresses.check(host, keys=1)


def test_a_server_answers_to_the_name_that_people_know_it_by() -> None:
    assert "evil.example" not in addresses.terms_for("127.0.0.1", None, Limits()).hosts
    assert addresses.terms_for("0.0.0.0", None, Limits()).hosts == frozenset()
    proxied = addresses.terms_for("127.0.0.1", "https://Memory.example.org:8443/x", Limits())
    assert "memory.example.org" in proxied.hosts
    assert proxied.secure_cookies
    assert "[fd00::1]" in addresses.terms_for("::1", "http://[fd00::1]:80", Limits()).hosts


@pytest.mark.parametrize("url", ["memory.example.org", "ftp://x", "https://", "http://[", ""])
def test_a_public_address_must_be_one(url: str) -> None:
    with pytest.raises(BadInput):
        addresses.terms_for("127.0.0.1", url, Limits())


@given(st.integers(1, 100_000), st.lists(st.floats(0, 30), max_size=40))
@settings(max_examples=50)
def test_nobody_gets_more_than_their_rate_and_a_burst(per_minute: int, pauses: list[float]) -> None:
    clock = Hands()
    rates = Rates(clock=clock)
    taken = 0
    for pause in pauses:
        clock.now += pause
        taken += rates.wait_seconds("a", per_minute) == 0
    assert taken <= burst(per_minute) + sum(pauses) * per_minute / 60 + 1e-6


@given(st.integers(1, 100_000))
@settings(max_examples=30)
def test_who_waits_as_long_as_they_were_told_is_let_in(per_minute: int) -> None:
    clock = Hands()
    rates = Rates(clock=clock)
    wait = 0.0
    while not wait:
        wait = rates.wait_seconds("a", per_minute)
    clock.now += wait * 1.000001
    assert rates.wait_seconds("a", per_minute) == 0
    assert rates.wait_seconds("b", per_minute) == 0


def test_any_number_of_callers_has_room() -> None:
    clock = Hands()
    rates = Rates(clock=clock)
    for number in range(40_000):
        clock.now += 0.001
        assert rates.wait_seconds(str(number), 6) == 0
    assert rates.wait_seconds("39999", 6) > 0


def test_who_opens_the_same_file_takes_from_the_same_buckets(tmp_path: Path) -> None:
    clock = Hands()
    several = [Rates(tmp_path / "rates", clock=clock) for _ in range(4)]
    waits = [rates.wait_seconds("a", 60) for _ in range(20) for rates in several]
    assert waits.count(0.0) == burst(60)
    clock.now += max(waits)
    assert [rates.wait_seconds("a", 60) for rates in several].count(0.0) == 1


def test_forms_are_known_by_their_token() -> None:
    session = BrowserSession("a" * 43)
    assert session.sent(session.csrf)
    assert session.csrf == BrowserSession(session.id).csrf != BrowserSession("b" * 43).csrf
    for other in ("", session.id, "é", None, b"x", 1):
        assert not session.sent(other)


def test_a_caller_may_what_their_key_allows() -> None:
    reader = Caller("ana", "read", "k")
    reader.may("read")
    for level in ("write", "admin"):
        with pytest.raises(AccessRefused):
            reader.may(level)
    assert reader.space_for(None) == reader.space_for("ana") == "ana"
    with pytest.raises(AccessRefused):
        reader.space_for("bob")
    with pytest.raises(AccessRefused):
        reader.owns_all()
    everywhere = replace(reader, space=None)
    everywhere.owns_all()
    assert everywhere.space_for("bob") == "bob"
    for wrong in (None, "", "a\0b", "x" * 600):
        with pytest.raises(BadInput):
            everywhere.space_for(wrong)


def test_a_confirmation_holds_for_what_was_shown_and_nothing_else() -> None:
    shown = {"space": "ana", "counts": {"messages": 3, "facts": 1}}
    token = confirmation.token("forget", shown)
    assert confirmation.confirmed(token, "forget", {"counts": {"facts": 1, "messages": 3}, "space": "ana"})
    assert not confirmation.confirmed(None, "forget", shown)
    for act, other in (("restore", shown), ("forget", {**shown, "space": "bob"}), ("forget", {})):
        with pytest.raises(Outdated):
            confirmation.confirmed(token, act, other)


def test_a_token_names_its_key_and_is_known_by_its_hash() -> None:
    key, token = new_token()
    other, another = new_token()
    assert id_in(token) == key != other
    assert opens(token, sha256(token))
    assert not opens(another, sha256(token))


@pytest.mark.parametrize("text", ["", "quipu_", "Bearer x", "quipu_0123456789ab_short", "x" * 10_000])
def test_what_is_no_token_names_no_key(text: str) -> None:
    assert id_in(text) is None
    assert id_in(new_token()[1] + "\n") is None
