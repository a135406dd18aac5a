"""What an agent may send, and nobody else notices; see ``attacks``."""

from __future__ import annotations

from typing import Final, Literal

Tool = Literal["execute", "query", "where", "delete where"]

HARMLESS: Final[dict[str, dict[Tool, list[str]]]] = {
    "settings of its own session": {
        "execute": [
            "set search_path = core, ledger, tables, public",
            "set quipu.space_id = '1'",
            "do $$ begin perform set_config('quipu.space', 'victim', false), "
            "set_config('quipu.space_id', '1', false); end $$",
            "set row_security = off",
            "set statement_timeout = 0",
            "set work_mem = '64MB'",
            "alter role current_user set search_path = core",
            "alter role current_user set default_transaction_read_only = on",
            "alter role current_user password 'mine'",
            "reset all",
            "reset role",
            "set role none",
            "listen quipu_outbox",
            "notify quipu_outbox, 'mine'",
            "discard plans",
            "select tables.settle()",
        ],
        "query": [
            "select set_config('search_path', 'core', false)",
            "select set_config('quipu.space_id', '1', false)",
            "show search_path",
            "set transaction read write",
            "select current_setting('quipu.space_id', true)",
        ],
    },
    "code of its own": {
        "execute": [
            "create function now() returns timestamptz language sql as $$ select "
            "'2000-01-01'::timestamptz $$",
            "create function {own}.settle() returns bigint language plpgsql as $$ begin raise "
            "exception 'mine'; end $$",
            "create function evil() returns trigger language plpgsql security definer as $$ begin "
            "perform set_config('search_path', 'core', false); return new; end $$",
            "create trigger evil before insert on notes for each row execute function evil()",
            "create function {own}.eq(text, name) returns boolean language sql as 'select false'",
            "create operator {own}.= (leftarg = text, rightarg = name, function = {own}.eq)",
            "create domain word as text check (value <> '')",
            "create view pg_class as select 'mine'::text as relname",
            "create table spaces (id int)",
            "create sequence counting",
            "create policy mine on notes using (set_config('quipu.space_id', '1', false) is not null)",
            "grant select on notes to public",
            "insert into {own}.schema_registry (table_name, description) values ('core.messages', 'mine')",
            "insert into {own}.schema_registry (table_name, embeddable_fields) values ('notes', "
            "'{nothing,here}')"
            " on conflict (table_name) do update set embeddable_fields = excluded.embeddable_fields",
            "update {own}.schema_registry set table_name = '\"; drop schema core; --'",
            "insert into {own}.schema_registry (table_name, embeddable_fields) values "
            "('{other}.secrets', '{word}'), ('secrets', '{word}')",
            "update {own}.embeddings set source_table = 'secrets', content = 'mine'",
            "grant all on {own}.embeddings to public",
            "lock table {own}.schema_registry in access exclusive mode",
            "grant all on {own}.schema_registry to public",
            "revoke all on {own}.embeddings from current_user",
        ],
        "query": [
            "select '{other}.secrets'::text",
            "select 'drop table schema_registry; delete from core.messages' as body",
            "select 'executive' as \"DELETE\"",
            "select 1 -- ; drop table notes",
            "select $x$ :search_embedding '' $x$ as a, ':search_embedding' as b",
        ],
        "where": [
            "body = ':search_embedding'",
            "body = 'x' -- or true",
            "body = $$'; drop table notes; --$$",
        ],
    },
}
