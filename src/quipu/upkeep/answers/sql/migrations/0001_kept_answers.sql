set local role quipu_owner;

-- What a server answered to writes that came with an Idempotency-Key. Only its SHA-256 is kept: a key may be, or
-- hold, a secret.

-- No reference to core.spaces: each write would lock the one row of its space. An erasure takes these rows itself.
create table core.kept_answers (
    space_id integer not null default core.current_space(),
    caller text not null check (char_length(caller) between 1 and 64),
    key_sha256 bytea not null check (octet_length(key_sha256) = 32),
    request_sha256 bytea not null check (octet_length(request_sha256) = 32),
    begun_at timestamptz not null,
    status integer check (status between 200 and 299),
    headers jsonb,
    body bytea,
    primary key (space_id, caller, key_sha256)
);
comment on table core.kept_answers is
    'For a day; a repeated request gets the same answer. Any erasure in the space takes all of them.';
comment on column core.kept_answers.status is 'Null while the request is being done.';
comment on column core.kept_answers.key_sha256 is 'SHA-256 of the Idempotency-Key in UTF-8.';

create index kept_answers_begun on core.kept_answers (begun_at);

call core.keep_in_space('core', array['kept_answers']);

create policy upkeep_sees on core.kept_answers for select to quipu_owner using (true);

create policy upkeep_drops on core.kept_answers for delete to quipu_owner using (true);

-- An answer of a clock that was set back since would be kept for longer than a day.
create function core.drop_kept_answers(before timestamptz) returns bigint
    language sql volatile security definer set search_path = ''
    as $$
    with gone as (
        delete from core.kept_answers where begun_at < before or begun_at > before + interval '2 days' returning 1
    ) select count(*) from gone
    $$;
comment on function core.drop_kept_answers(timestamptz) is
    'Drops those of all spaces that were begun before, or two days after it, which is a day from now; how many.';

revoke execute on function core.drop_kept_answers(timestamptz) from public;

grant execute on function core.drop_kept_answers(timestamptz) to quipu_app;

reset role;
