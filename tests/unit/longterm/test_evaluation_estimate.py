"""What a language model would cost: counted in requests and tokens before anything is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.longterm.estimate import Unevaluated, estimated

SESSIONS = st.builds(Unevaluated, st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**9))


def test_nothing_costs_nothing() -> None:
    found = estimated([])
    assert (found.requests, found.tokens, found.cost(input_price=1, output_price=1)) == (0, 0, 0)


def test_a_session_is_read_in_stretches_of_turns_and_of_text() -> None:
    assert Unevaluated(turns=2, exchanges=1, characters=100).requests == 1
    assert Unevaluated(turns=41, exchanges=20, characters=100).requests == 2
    assert Unevaluated(turns=2, exchanges=1, characters=24_001).requests == 3


def test_prices_are_for_a_million() -> None:
    found = estimated([Unevaluated(2, 1, 4_000_000)])
    assert 1 < found.cost(input_price=1, output_price=0) < 3
    assert found.cost(input_price=0, output_price=1_000_000) == found.output_tokens


@given(st.lists(SESSIONS, max_size=5), SESSIONS)
def test_more_to_read_costs_more(some: list[Unevaluated], one_more: Unevaluated) -> None:
    less, more = estimated(some), estimated([*some, one_more])
    assert more.input_tokens > less.input_tokens
    assert more.output_tokens > less.output_tokens
