"""How a server wants to be asked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from quipu.kernel.language.prompt import Turn
from quipu.kernel.language.remote import Dialect

WORDS = ["max_completion_tokens", "temperature", "response_format", "context length", ""]


class Named(RootModel[dict[str, "list[int]"]]):
    pass


@settings(max_examples=50)
@given(st.lists(st.sampled_from(WORDS), min_size=4), st.booleans())
def test_there_is_an_end_to_trying_another_way(refusals: list[str], shaped: bool) -> None:
    dialect: Dialect | None = Dialect()
    tried: list[Dialect] = []
    for refusal in refusals:
        if dialect is None:
            break
        tried.append(dialect)
        dialect = dialect.lesser(refusal, shaped=shaped)
    assert len(set(tried)) == len(tried) <= 4


def test_what_was_not_sent_is_not_left_out() -> None:
    assert Dialect().lesser("context length", shaped=False) is None
    assert Dialect(json_schema=False).lesser("context length", shaped=True) is None


def test_the_name_of_a_schema_has_only_letters_that_servers_take() -> None:
    class Page(BaseModel):
        word: str

    Page.__name__ = "Page[list[Wörter]]" * 9
    asked = Dialect().request([Turn("user", "x")], shape=Page, answer_tokens=1)
    name = asked["response_format"]["json_schema"]["name"]
    assert name.startswith("Page_list_W_rter__")
    assert len(name) == 64


def test_an_answer_has_a_ceiling_in_every_dialect() -> None:
    for dialect in (Dialect(), Dialect(old_ceiling=False), Dialect(False, False, False)):
        asked = dialect.request([Turn("user", "x")], shape=None, answer_tokens=9)
        assert [asked.get("max_tokens"), asked.get("max_completion_tokens")].count(9) == 1
