-- What has a place and a key and is updated in place: JSON values, notes, files; with versions and expiry.
insert into core.recall_kinds (code, name) values (7, 'document');

set local role quipu_owner;

create schema documents;

grant usage on schema documents to quipu_app, quipu_person;
comment on schema documents is 'Documents: a path, a key, a JSON value or a text, and every earlier version.';

create function documents.digest(value jsonb, body text) returns text
    language sql immutable parallel safe
    return encode(sha256(convert_to(concat_ws(E'\n', value::text, body), 'UTF8')), 'hex');
comment on function documents.digest(jsonb, text) is
    'SHA-256 of the text, of the value as jsonb is written, or of both with a line break between them.';

create function documents.names(place text) returns text[]
    language sql immutable parallel safe
    return string_to_array(left(place, -1), chr(31));
comment on function documents.names(text) is 'The names of a path.';

create function documents.cut(place text, names integer) returns text
    language sql immutable parallel safe
    return case when names is null then place
        else array_to_string((documents.names(place))[:names], chr(31)) || chr(31) end;
comment on function documents.cut(text, integer) is 'The first names of a path; all of them if their number is null.';

create function documents.whole(metadata jsonb, value jsonb) returns jsonb
    language sql immutable parallel safe
    return jsonb_build_object('metadata', metadata)
        || case when value is null then '{}'::jsonb else jsonb_build_object('value', value) end;
comment on function documents.whole(jsonb, jsonb) is 'What a filter over metadata and value is matched with.';

create function documents.passes(metadata jsonb, value jsonb, over_metadata jsonpath, over_value jsonpath, no_value boolean,
    over_both jsonpath) returns boolean
    language sql immutable parallel safe
    return (over_metadata is null or metadata @@ over_metadata)
        and (over_value is null or coalesce(value @@ over_value, no_value))
        and (over_both is null or documents.whole(metadata, value) @@ over_both);
comment on function documents.passes(jsonb, jsonb, jsonpath, jsonpath, boolean, jsonpath) is
    'Whether a filter lets a document through; a path that is null sets no condition (see recall/filters.py).';

-- A path is one text with a unit separator behind each name: of two arrays, or by a pattern, PostgreSQL compares under
-- row level security only after it has read every row, and of two texts before. Below a path is what lies between
-- it and the text in which a space stands for its last separator.
create table documents.documents (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    place text collate "C" not null check (place ~ '^([^\x1f]+\x1f)+$'),
    key text collate "C" not null check (key <> ''),
    value jsonb,
    body text,
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    user_name text check (char_length(user_name) between 1 and 512),
    index_paths text[] not null default '{$}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    ttl_seconds double precision check (ttl_seconds > 0),
    expires_at timestamptz,
    version integer not null default 1 check (version > 0),
    sha256 text not null generated always as (documents.digest(value, body)) stored,
    written_by text check (char_length(written_by) between 1 and 512),
    redacted integer not null default 0 check (redacted >= 0),
    primary key (space_id, id),
    unique (space_id, place, key),
    check (octet_length(place) + octet_length(key) <= 2000),
    check (value is not null or body is not null),
    check ((ttl_seconds is null) = (expires_at is null))
) with (fillfactor = 85);
comment on column documents.documents.place is 'Its path: names with a unit separator (0x1f) behind each.';
comment on column documents.documents.user_name is 'Whose it is: it goes when they are forgotten; null: everybody''s.';
comment on column documents.documents.index_paths is
    'What of it is found by meaning: paths into the value ($ is all of it, and the text); none if empty.';
comment on column documents.documents.ttl_seconds is 'It expires so long after it was written, or read with refresh.';
comment on column documents.documents.version is 'Grows with each change of what it says or where it stands.';
comment on column documents.documents.redacted is 'How many secrets were cut out before it was written.';
comment on column documents.documents.written_by is 'Who wrote this version, as the caller says.';

create index documents_updated on documents.documents (space_id, updated_at desc, id);

create index documents_user on documents.documents (space_id, user_name) where user_name is not null;

create index documents_expiry on documents.documents (space_id, expires_at) where expires_at is not null;

create view documents.shown with (security_invoker) as
    select space_id, id as document_id, id::text as id, documents.names(place) as path, place, key, value, body, metadata, user_name as "user",
        index_paths as index, version, sha256, created_at, updated_at, ttl_seconds, expires_at, written_by, redacted
    from documents.documents;
comment on view documents.shown is 'Documents as the doors show them.';

grant select on documents.shown to quipu_app, quipu_person;

create function documents.standing(document uuid) returns documents.documents
    language sql stable
    return (select d from documents.documents d where d.space_id = (select core.current_space()) and d.id = document);
comment on function documents.standing(uuid) is 'The document of this transaction''s space with that id.';

-- How a document read before: each version is written once, when the next one comes or the document is removed.
create table documents.versions (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    document_id uuid not null,
    version integer not null check (version > 0),
    place text collate "C" not null,
    key text collate "C" not null,
    value jsonb,
    body text,
    metadata jsonb not null default '{}',
    user_name text,
    index_paths text[] not null,
    sha256 text not null,
    created_at timestamptz not null,
    written_at timestamptz not null,
    written_by text,
    ended_at timestamptz not null default now(),
    ended_by text not null check (ended_by in ('change', 'rename', 'delete')),
    redacted_at timestamptz,
    primary key (space_id, document_id, version),
    check (redacted_at is null or value is null and body is null and metadata = '{}')
);
comment on column documents.versions.created_at is 'When its document was first written.';
comment on column documents.versions.ended_by is 'What ended it: another text, another place, or removal.';
comment on column documents.versions.redacted_at is 'When its content was taken out for good; its digest stays.';

create index versions_place on documents.versions (space_id, place, key, ended_at);

create index versions_ended on documents.versions (space_id, ended_at);

create index versions_user on documents.versions (space_id, user_name) where user_name is not null;

-- What recall finds of a document: a piece of its text, or what stands at a path of its value.
create table documents.passages (
    space_id integer not null default core.current_space(),
    id uuid not null default gen_random_uuid(),
    document_id uuid not null,
    number integer not null check (number >= 0),
    field text not null check (char_length(field) <= 1000),
    heading text check (char_length(heading) <= 1000),
    first_line integer check (first_line > 0),
    text text not null check (char_length(text) between 1 and 20000),
    user_name text,
    happened_at timestamptz not null,
    entry_id bigint,
    primary key (space_id, id),
    foreign key (space_id, document_id) references documents.documents (space_id, id) on delete cascade
);
comment on column documents.passages.number is 'Its place among the passages of the document.';
comment on column documents.passages.field is 'The path into the value; empty for the text.';
comment on column documents.passages.heading is 'The headings that it stands under, outermost first.';
comment on column documents.passages.entry_id is 'Its entry in core.recall_entries; null until it is indexed.';

create index passages_document on documents.passages (space_id, document_id, number);

create index passages_unindexed on documents.passages (space_id, id) where entry_id is null;

create unique index passages_entry on documents.passages (space_id, entry_id) where entry_id is not null;

-- Vectors of a model of the caller's own, by which a search ranks instead of ours. They are compared exactly: their
-- dimensions are the caller's choice, and differ.
create table documents.vectors (
    space_id integer not null default core.current_space(),
    id bigint generated always as identity,
    document_id uuid not null,
    vector vector not null,
    primary key (space_id, id),
    foreign key (space_id, document_id) references documents.documents (space_id, id) on delete cascade
);

create index vectors_document on documents.vectors (space_id, document_id);

call core.keep_in_space('documents', array['documents', 'versions', 'passages', 'vectors']);

grant usage on all sequences in schema documents to quipu_app, quipu_person;

-- What of the documents belongs to one person: those that name them.
create policy person on documents.documents as restrictive to quipu_person
    using (user_name = (select core.current_person()));

create policy person on documents.versions as restrictive to quipu_person
    using (user_name = (select core.current_person()));

call core.show_with_row('documents', array['passages', 'vectors'], 'document_id', of => 'documents.documents');

grant select, insert, update, delete on documents.documents, documents.passages, documents.vectors to quipu_person;

grant select, insert, delete on documents.versions to quipu_person;

-- Whoever changes a document, the version before it is kept.
create function documents.keep_version() returns trigger
    language plpgsql volatile
    as $$
begin
    -- What has expired is gone, with all that it said before.
    if old.expires_at <= new.updated_at then
        delete from documents.versions where space_id = old.space_id and document_id = old.id;
        new.version := 1;
        return new;
    end if;
    insert into documents.versions (space_id, document_id, version, place, key, value, body, metadata, user_name,
        index_paths, sha256, created_at, written_at, written_by, ended_at, ended_by)
    values (old.space_id, old.id, old.version, old.place, old.key, old.value, old.body, old.metadata, old.user_name,
        old.index_paths, old.sha256, old.created_at, old.updated_at, old.written_by,
        greatest(old.updated_at, new.updated_at),
        case when (old.place, old.key) is distinct from (new.place, new.key) then 'rename' else 'change' end);
    new.version := old.version + 1;
    if new.updated_at = old.updated_at then
        new.updated_at := greatest(old.updated_at, now());
    end if;
    return new;
end
$$;

create trigger keep_version before update on documents.documents
    for each row when ((old.place, old.key, old.value, old.body, old.metadata, old.user_name)
        is distinct from (new.place, new.key, new.value, new.body, new.metadata, new.user_name))
    execute function documents.keep_version();

-- A version says for ever what was written; only its content may go.
create function documents.keep_as_written() returns trigger
    language plpgsql volatile
    as $$
begin
    if old.redacted_at is null and new.redacted_at is not null then
        new.value := null;
        new.body := null;
        new.metadata := '{}';
        return new;
    end if;
    raise exception 'a version of a document cannot be changed'
        using errcode = 'feature_not_supported', hint = 'Set redacted_at to take its content out for good.';
end
$$;

create trigger keep_as_written before update on documents.versions
    for each row when ((old.version, old.place, old.key, old.value, old.body, old.metadata, old.user_name, old.sha256,
            old.written_at, old.written_by, old.redacted_at)
        is distinct from (new.version, new.place, new.key, new.value, new.body, new.metadata, new.user_name, new.sha256,
            new.written_at, new.written_by, new.redacted_at))
    execute function documents.keep_as_written();

-- Who is not to be found any more, is not: whoever says so.
create function documents.drop_passages() returns trigger
    language plpgsql volatile
    as $$
begin
    delete from documents.passages where space_id = new.space_id and document_id = new.id;
    return null;
end
$$;

create trigger drop_passages after update on documents.documents
    for each row when (new.index_paths = '{}' and old.index_paths <> '{}') execute function documents.drop_passages();

select core.ask_for_space_in('documents');

call core.keep_filed('documents', 'passages', 7, live => 'true',
    said => array['id', 'text', 'user_name', 'happened_at']);

reset role;
