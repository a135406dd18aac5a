"""Tables with all that hangs on tables, and statements about them that are refused."""

from __future__ import annotations

from typing import Final

BOATS: Final = (
    "create table boats (id serial primary key, name text unique, mood mood default 'calm', twin int"
    " references boats, number int default nextval('tickets'), check (number > 0))"
)
BEFORE: Final = (
    "create type mood as enum ('calm', 'wild')",
    "create sequence tickets",
)
AROUND: Final = (
    "create table crews (id int primary key, boat int references boats on delete cascade, skill mood)",
    "create view small as select name, mood from boats where id < 9",
    "create function wild(mood) returns bigint language sql as 'select count(*) from boats where mood = $1'",
    "create function touch() returns trigger language plpgsql as"
    " $$ begin delete from crews; return new; end $$",
    "create trigger touching after update on boats execute function touch()",
    "create index boats_by_mood on boats (mood, lower(name))",
    "create policy seen on boats using (id > 0)",
    "create statistics together on id, number from boats",
    "comment on table boats is 'what floats'",
    "grant execute on function wild(mood) to public",
    "insert into crews values (1, 1, 'calm')",
)
# What is refused, each with what has to be in the message. {own} is the schema's name in PostgreSQL.
REFUSED: Final = {
    "select * from memory.boats": "Write boats",
    "select b.id from memory.boats b join memory.crews c on c.boat = b.id": "Write boats, crews",
    "select memory.wild('calm')": "Write wild",
    "select null::memory.mood": "Write mood",
    "create table memory.more (id int)": "Write more",
    "do $$ begin perform from memory.boats; end $$": "without memory. in front",
    "create table {own}.boats (id int)": "already exists",
    "select * from {own}.nothing": '"nothing" does not exist',
    "select * from memory_s987654.boats": "not there, or is not yours",
    "select * from {other}.boats": "not there, or is not yours",
    "select nam from boats": "boats.name",
    "drop table boats": "",
    "drop type mood": "depend",
    "drop function wild(mood)": "",
    "drop schema {own} cascade": "owner of schema memory",
    "alter schema {own} rename to mine": "",
    "comment on schema {own} is 'mine'": "owner of schema memory",
    "create schema more": "",
    "create table {own}.embeddings (id int)": "",
    "drop view {own}.embeddings": "",
    "alter table {own}.schema_registry rename to mine": "",
    "lock table {own}.embeddings": "",
    "delete from {own}.embeddings": "",
    "truncate {own}.schema_registry": "",
    "insert into embeddings (source_table, source_id, field_name) values ('boats', '1', 'x')": "not embedded",
    "insert into boats (id, name) values (1, 'x')": "duplicate key",
    "insert into crews values (9, 99)": "not present",
    "insert into boats (name, number) values ('x', -1)": "check constraint",
    "insert into boats (name, mood) values ('x', 'sad')": "invalid input value",
    "create view boats as select 1": "",
    "alter table {own}.boats add column more text": "memory:schema:recreate",
    "alter type {own}.mood add value 'calm'": "",
    # Where a statement takes the schema out of the search path, PostgreSQL writes it in front of every name.
    "do $$ begin set local search_path = pg_catalog; drop table {own}.boats; end $$": "depend",
    "do $$ begin set local search_path = pg_catalog; drop type {own}.mood; end $$": "depend",
    "do $$ begin set local search_path = pg_catalog; perform 'x'::{own}.mood; end $$": "enum mood",
    "do $$ begin set local search_path = pg_catalog; perform {own}.wild(1); end $$": "wild(integer)",
    "do $$ begin set local search_path = pg_catalog; perform from {own}.nothing; end $$": "nothing",
    "do $$ begin set local search_path = pg_catalog; drop function {own}.nothing(); end $$": "nothing()",
}
