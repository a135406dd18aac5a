-- Vectors that came out of a snapshot, for rows that are put back: the index takes them where a text is the same.

set local role quipu_owner;

create table tables.kept_vectors (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    content_hash varchar(64) not null,
    generation smallint not null,
    vector halfvec not null,
    primary key (space_id, schema_id, generation, content_hash),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.kept_vectors is 'Of a snapshot that was restored, until the index has followed its rows.';

alter table tables.kept_vectors enable row level security;
alter table tables.kept_vectors force row level security;
create policy own_space on tables.kept_vectors using (space_id = (select core.current_space()));
create policy engine on tables.kept_vectors to quipu_owner using (true);
grant select, insert, delete on tables.kept_vectors to quipu_app;

reset role;
