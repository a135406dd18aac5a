"""What an agent might send to get at vectors and registry, which are the engine's; see ``attacks``."""

from __future__ import annotations

from typing import Final

from harmless import Tool

ON_THE_REGISTRY: Final[dict[str, dict[Tool, list[str]]]] = {
    "vectors and the registry": {
        "execute": [
            "drop view {own}.embeddings",
            "drop view if exists {own}.embeddings cascade",
            "drop table {own}.embeddings",
            "truncate {own}.embeddings",
            "delete from {own}.embeddings",
            "delete from {own}.embeddings where source_table = 'notes'",
            "alter view {own}.embeddings rename to mine",
            "alter view {own}.embeddings owner to current_user",
            "alter view {own}.embeddings set schema public",
            "alter view {own}.embeddings set (security_barrier = false)",
            "alter view {own}.embeddings set (security_invoker = true)",
            "alter view {own}.embeddings alter column content set default 'mine'",
            "create or replace view {own}.embeddings as select * from notes",
            "create trigger mine instead of delete on {own}.embeddings for each row execute function "
            "suppress_redundant_updates_trigger()",
            "drop trigger write_embedding on {own}.embeddings",
            "create rule mine as on delete to {own}.embeddings do instead nothing",
            "comment on view {own}.embeddings is 'mine'",
            "do $$ begin execute 'drop view {own}.embed' || 'dings'; end $$",
            "with gone as (delete from {own}.embeddings returning *) select * from gone",
            "merge into {own}.embeddings e using notes n on true when matched then delete",
            "insert into {own}.embeddings (source_table, source_id, field_name, content) values "
            "('secrets', '1', 'word', 'mine')",
            "insert into {own}.embeddings (source_table, source_id, field_name, content) values "
            "('{other}.secrets', '1', 'word', 'mine')",
            "insert into {own}.embeddings (source_table, source_id, field_name) values (null, null, null)",
            "insert into {own}.embeddings (source_table) values ('core.messages')",
            "select * from tables.embeddings",
            "insert into tables.dirty_rows (space_id, schema_id, relation_id) values (1, 1, 1)",
            "delete from tables.relations",
            "update {other}.embeddings set content = 'mine'",
            "insert into {other}.schema_registry (table_name) values ('mine')",
            "update {other}.schema_registry set embeddable_fields = '{word}'",
            "drop table {own}.schema_registry cascade",
            "create rule mine as on insert to {own}.schema_registry do instead nothing",
            "create policy mine on {own}.schema_registry using (true)",
            "alter table {own}.schema_registry enable row level security",
            "alter table {own}.schema_registry set schema public",
            "alter table {own}.schema_registry drop constraint schema_registry_pkey",
            "create unique index mine on {own}.schema_registry (description)",
            "create table mine (id text references {own}.schema_registry (table_name))",
            "create table mine () inherits ({own}.schema_registry)",
            "comment on table {own}.schema_registry is 'mine'",
        ],
        "query": [
            "delete from {own}.embeddings",
            "select * from {other}.embeddings",
            "select * from {other}.schema_registry",
            "select * from tables.embeddings",
            "select context from core.recall_vectors",
            "select content from core.recall_entries",
        ],
    },
}
