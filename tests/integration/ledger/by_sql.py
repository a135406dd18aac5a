"""SQL of an application that knows the tables of the ledger, and what recall finds of it."""

from __future__ import annotations

from typing import Any

import psycopg

from quipu import AsyncMemory

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
EVENT = """
insert into chat_memory_events (session_id, turn_index, event_type, memory_scope, memory_namespace,
    memory_key, new_value_json, value_source)
select id, 1, 'fact_set', 'session', 'other', 'boat', '"green"', 'explicit' from chat_sessions
"""
VALUE = """
insert into chat_session_memory (session_id, memory_namespace, memory_key, value_json, value_source,
    source_turn_index, source_event_id)
select session_id, memory_namespace, memory_key, new_value_json, value_source, turn_index, id
from chat_memory_events where memory_key = 'boat'
"""
PREFERENCE = """
insert into chat_user_preferences (distinct_id, preference_namespace, preference_key, value_json,
    value_source)
values ('eve', 'ui', 'ui.response_depth', '{"value": "verbose"}', 'explicit')
"""
ADVICE = """
insert into chat_recommendations (session_id, turn_index, location_label, action, time_window, confidence,
    source_name, rule_version, explanation_json, meta)
select id, 1, 'Lisbon', 'row', 'today', 'low', 'reviews', 'r', '{"a": 1}', '{}' from chat_sessions
"""
PROOF = """
insert into chat_recommendation_evidence (recommendation_id, session_id, turn_index, source_name, entity_type,
    theme, meta)
select id, session_id, 1, 'system', 'system', 'other', '{"a": 1}' from chat_recommendations
"""


def sql(url: str, *statements: str) -> None:
    """One transaction of an application that knows the tables."""
    with psycopg.connect(url, options="-c search_path=ledger") as conn:
        conn.execute("set local role quipu_app")
        conn.execute("select core.enter('cafe')")
        for statement in statements:
            conn.execute(statement.encode())


async def found(memory: AsyncMemory, question: str) -> list[str]:
    return sorted(hit.text for hit in await memory.recall(question, space="cafe", kinds=["ledger"]))
