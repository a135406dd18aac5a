from __future__ import annotations

from quality.bm25 import Bm25, Bm25Index
from quality.model import Conversation, Message, Question
from quality.words import terms


def question(text: str, *, user: str | None = None) -> Question:
    return Question(text, ("a",), frozenset(), "plain", "tune", user)


def test_words_are_stemmed_and_stop_words_left_out():
    assert terms("The dogs were running", "english") == ["dog", "run"]
    assert terms("Die Häuser sind schön", "german") == ["haus", "schon"]


def test_scripts_without_word_borders_give_pairs_of_characters():
    assert terms("我喜欢茶", "chinese") == ["我喜", "喜欢", "欢茶"]
    assert terms("买 GPU 了", "chinese") == ["买", "gpu", "了"]


def test_an_identifier_is_one_term_for_each_of_its_words():
    assert terms("src/http_client.py", "code") == ["src", "http", "client", "py"]


def test_a_rare_word_weighs_more_than_a_common_one():
    index = Bm25Index(["tea and milk", "tea", "tea with harbour"], "english")
    scores = index.scores("tea harbour")
    assert max(scores, key=lambda number: scores[number]) == 2


def test_only_the_messages_of_the_asking_user_are_ranked():
    conversation = Conversation(
        "c", (Message("a", "blue boat", user="u1"), Message("b", "blue boat", user="u2")), ()
    )
    assert Bm25().rank(conversation, [question("boat", user="u2")], depth=5) == [["b"]]
    assert Bm25().rank(conversation, [question("boat")], depth=1) == [["a"]]
