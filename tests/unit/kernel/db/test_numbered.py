"""Which queries could tell names by numbers."""

from __future__ import annotations

import pytest

from quipu.errors import BadInput
from quipu.kernel.db.tokens import refuse_numbered

REFUSED = (
    "select 16500::regclass",
    "select 16500::REGCLASS::text",
    "select 16500::pg_catalog.regclass",
    'select 16500::"regclass"',
    "select cast(16500 as/**/regtype)",
    "select '16500'::text::regclass",
    "select regclass '16500'",
    "select regclass('16500'::text)",
    "select '{16500}'::regclass[], '{16500}'::_regtype",
    "select * from jsonb_to_record('{\"a\": 16500}') as t (a regrole)",
    "select json_value('16500', '$' returning regnamespace)",
    "select jsonb_populate_record(null::pg_type, '{\"typinput\": 16500}')",
    "select coalesce(nullif(pg_typeof(1), pg_typeof(1)), '16500')",
    "select array[pg_typeof(1)] || '{16500}'",
    "select get_current_ts_config() union select '16500'",
    "select nextval(16500)",
    "select currval(16500), setval(16500, 1)",
    "select enum_in('x', 16500), pg_catalog.domain_in(null, 16500, -1)",
    'select 16500::U&"reg\\0063lass"',
    "select 16500::u&\"reg!0063lass\" uescape '!'",
    "do $$ begin execute 'select 16500::reg' || 'class'; end $$",
    " ; /* */ DO $$ begin null; end $$",
    "select E''\n'\\'' || 16500::regclass || ''",
    "select E'\\'' || 16500::regclass || '\\''",
    "select e'a' --\n '\\' || 16500::regclass || ' '",
    "select $a$ $b$ $a$ || 16500::regclass || $b$ $b$",
    "select U&'\\' || 16500::regclass || '\\'",
    "select 1 as a$$, 16500::regclass as b$$",
    "select 1 -- '\n, 16500::regclass --'",
    "select 1 /* /* */ ' */ , 16500::regclass -- '",
)
LET_THROUGH = (
    "select 'regclass', $$16500::regclass$$, '''regclass'",
    "select 1 -- 16500::regclass",
    "select 1 /* regclass */",
    "select content from messages where content like '%::regclass%'",
    "select regexp_replace('a', 'b', 'c'), regular from regions",
    "select to_tsvector('english', content) from messages",
    "select E'\\n' || content from messages",
    "select pg_sleep(0), pg_column_size(1)",
    "select 1 as do, 'U&'",
)


@pytest.mark.parametrize("statement", REFUSED)
def test_what_tells_names_by_numbers_is_refused(statement: str) -> None:
    with pytest.raises(BadInput) as refused:
        refuse_numbered(statement)
    assert refused.value.hint


@pytest.mark.parametrize("statement", LET_THROUGH)
def test_what_only_looks_like_it_is_not(statement: str) -> None:
    refuse_numbered(statement)
