set local role quipu_owner;

-- What was brought from another system: one row for each import, and one for each record that it made.
create table core.imports (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    source text not null check (source ~ '^[a-z][a-z0-9-]{0,63}$'),
    version text check (char_length(version) between 1 and 200),
    label text not null check (char_length(label) between 1 and 512),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    begun_at timestamptz not null,
    ended_at timestamptz,
    told jsonb not null default '{}' check (jsonb_typeof(told) = 'object'),
    primary key (space_id, id)
);
comment on column core.imports.source is 'The system that it was brought from; version is its own, or that of its format.';
comment on column core.imports.label is 'The name of the file, folder or server.';
comment on column core.imports.sha256 is 'The digest of what was read: one that was cut off is gone on with.';
comment on column core.imports.ended_at is 'When all of it was there; null: it was cut off.';
comment on column core.imports.told is 'What was not taken, and what was taken for granted.';

create table core.origins (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    import_id uuid not null,
    source text not null,
    kind text not null check (kind in ('message', 'memory', 'lesson', 'document', 'loop')),
    source_id text not null check (char_length(source_id) between 1 and 2100),
    message_id bigint,
    target_id uuid,
    digest bytea not null check (octet_length(digest) = 16),
    raw jsonb,
    primary key (space_id, id),
    unique (space_id, source, kind, source_id),
    foreign key (space_id, import_id) references core.imports (space_id, id) on delete cascade,
    check ((kind = 'message') = (message_id is not null)),
    check ((kind = 'message') = (target_id is null))
);
comment on table core.origins is 'What a record was in the system that it was brought from. It goes with the record.';
comment on column core.origins.source_id is 'Its id there; of a message that of its session, a slash, and its own.';
comment on column core.origins.digest is 'Of what it became: another one means that the source changed it since.';
comment on column core.origins.raw is 'The record as the source had it, without secrets; null where it was too large.';

create index origins_import on core.origins (space_id, import_id);

create index origins_message on core.origins (space_id, message_id) where message_id is not null;

create index origins_target on core.origins (space_id, target_id) where target_id is not null;

call core.keep_in_space('core', array['imports', 'origins']);

-- What is erased goes with its origin, and is not brought again: of its name there only a keyed hash stays. What an
-- undone import made, and what expired, may come again.
create function core.drop_origins() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $$
declare
    places text[];
    ids text[];
begin
    with dropped as (
        delete from core.origins o using gone g
        where o.space_id = g.space_id and o.target_id = (to_jsonb(g) ->> tg_argv[0])::uuid
            and not exists (select from documents.documents d where d.space_id = o.space_id and d.id = o.target_id)
            and not exists (select from documents.versions v where v.space_id = o.space_id and v.document_id = o.target_id)
        returning 'import:' || o.source || ':' || o.kind as place, o.source_id
    )
    select array_agg(d.place), array_agg(d.source_id) into places, ids from dropped d;
    if places is not null and coalesce(current_setting('quipu.may_return', true), '') <> 'on' then
        perform core.note_erased(current_setting('quipu.space'), 'line', places, ids, 'infinity');
    end if;
    return null;
end
$$;
comment on function core.drop_origins() is 'Drops the origins of what was deleted; a document has one as long as it has versions.';

create function core.drop_origins_of_messages() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $$
begin
    delete from core.origins o using gone g where o.space_id = g.space_id and o.message_id = g.id;
    return null;
end
$$;

create trigger drop_origins after delete on core.messages
    referencing old table as gone for each statement execute function core.drop_origins_of_messages();

create trigger drop_origins after delete on longterm.long_term_memory
    referencing old table as gone for each statement execute function core.drop_origins('id');

create trigger drop_origins after delete on transcripts.memories
    referencing old table as gone for each statement execute function core.drop_origins('id');

create trigger drop_origins after delete on episodes.loops
    referencing old table as gone for each statement execute function core.drop_origins('id');

create trigger drop_origins after delete on documents.documents
    referencing old table as gone for each statement execute function core.drop_origins('id');

create trigger drop_origins after delete on documents.versions
    referencing old table as gone for each statement execute function core.drop_origins('document_id');

-- Of what was redacted, the record of the source goes too.
create function core.drop_raw() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $$
begin
    update core.origins set raw = null where space_id = new.space_id and target_id = new.document_id and raw is not null;
    return null;
end
$$;

create trigger drop_raw after update of redacted_at on documents.versions
    for each row when (new.redacted_at is not null) execute function core.drop_raw();

revoke execute on function core.drop_origins(), core.drop_origins_of_messages(), core.drop_raw() from public;

reset role;
