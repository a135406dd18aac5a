from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from quality import locomo


def conversation(number: int) -> dict[str, object]:
    return {
        "sample_id": f"conv-{number}",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Later."}],
            "session_2_date_time": "12:05 am on 1 January, 2023",
            "session_2": [
                {
                    "speaker": "Ann",
                    "dia_id": "D2:1",
                    "text": "Look!",
                    "blip_caption": "a red boat",
                    "query": "q",
                },
                {"speaker": "Ben", "dia_id": "D2:2", "text": "Nice."},
            ],
        },
        "qa": [{"question": "What did Ann show?", "answer": "a boat", "evidence": ["D2:01"], "category": 4}],
    }


def test_malformed_evidence_ids_are_split_and_mended():
    assert locomo.normalised_evidence(["D8:6; D9:17"]) == ("D8:6", "D9:17")
    assert locomo.normalised_evidence(["D:11:26", "D30:05", "D"]) == ("D11:26", "D30:5")
    assert locomo.normalised_evidence(["D1:2", "D1:2"]) == ("D1:2",)


def test_published_sessions_read_only_the_start_of_an_id():
    assert locomo.published_sessions(["D8:6; D9:17", "D:11:26"]) == {"session_8"}


def test_a_session_starts_at_its_own_date_in_utc():
    assert locomo.session_start("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_turns_come_in_the_order_of_the_sessions_with_a_second_between_them(tmp_path: Path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([conversation(1)]))
    (loaded,) = locomo.load(path)
    assert [(m.id, m.session, m.time) for m in loaded.messages] == [
        ("D2:1", "session_2", "2023-01-01T00:05:00+00:00"),
        ("D2:2", "session_2", "2023-01-01T00:05:01+00:00"),
        ("D10:1", "session_10", "2023-05-08T13:56:00+00:00"),
    ]
    assert loaded.messages[0].content == "Look! [image: a red boat]"
    assert loaded.questions[0].evidence == ("D2:1",)
    assert loaded.questions[0].category == "single-hop"


def test_the_first_five_conversations_are_for_tuning(tmp_path: Path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([conversation(n) for n in range(7)]))
    assert [c.questions[0].half for c in locomo.load(path)] == ["tune"] * 5 + ["report"] * 2
