-- Receipts are signed and chained, and the hashes of names can no longer be guessed without a key of the database.

set local role quipu_owner;

create table core.erasure_chain (
    id boolean primary key default true check (id),
    names_key bytea not null check (octet_length(names_key) = 32),
    signing_key bytea check (octet_length(signing_key) = 32),
    public_key bytea check (octet_length(public_key) = 32),
    number bigint not null default 0,
    digest bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(digest) = 32),
    check ((signing_key is null) = (public_key is null))
);
comment on table core.erasure_chain is
    'Of no space: the keys of receipts, and the end of the chain of all of them. The application has functions for it, no right.';
comment on column core.erasure_chain.names_key is 'Hashes names, so that a name cannot be guessed from its hash without it.';
comment on column core.erasure_chain.signing_key is 'Ed25519, made when the first receipt is signed.';

insert into core.erasure_chain (names_key)
values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

create function core.erasure_names_key() returns bytea
    language sql stable security definer set search_path = ''
    as $$ select names_key from core.erasure_chain $$;
comment on function core.erasure_names_key() is 'What names that were erased are hashed with.';

create function core.erasure_public_key() returns bytea
    language sql stable security definer set search_path = ''
    as $$ select public_key from core.erasure_chain $$;
comment on function core.erasure_public_key() is 'What receipts are verified with; null before the first.';

create function core.hold_erasure_chain(new_signing bytea, new_public bytea,
    out signing bytea, out number bigint, out digest bytea)
    language sql volatile security definer set search_path = ''
    as $$
    update core.erasure_chain c set
        signing_key = coalesce(c.signing_key, new_signing), public_key = coalesce(c.public_key, new_public)
    returning c.signing_key, c.number, c.digest
    $$;
comment on function core.hold_erasure_chain(bytea, bytea) is
    'The end of the chain, held until commit, with the key that signs: the given one where there is none yet.';

create function core.extend_erasure_chain(new_number bigint, new_digest bytea) returns boolean
    language sql volatile security definer set search_path = ''
    as $$
    update core.erasure_chain set number = new_number, digest = new_digest where number = new_number - 1
    returning true
    $$;
comment on function core.extend_erasure_chain(bigint, bytea) is 'Moves the end of the chain on by one receipt; null where that is not its next.';

revoke execute on function core.erasure_names_key(), core.erasure_public_key(),
    core.hold_erasure_chain(bytea, bytea), core.extend_erasure_chain(bigint, bytea) from public;
grant execute on function core.erasure_names_key(), core.erasure_public_key(),
    core.hold_erasure_chain(bytea, bytea), core.extend_erasure_chain(bigint, bytea) to quipu_app;

alter table core.erasures
    add column name_hashes text[] not null default '{}',
    add column number bigint,
    add column space_number bigint,
    add column document jsonb,
    add column signature bytea check (octet_length(signature) = 64),
    add column of_receipt uuid,
    add unique (space_id, number),
    add check (num_nulls(number, space_number, document, signature) in (0, 4));
comment on column core.erasures.user_hash is
    'SHA-256 of a key of the database and the SHA-256 of space and name: a restored snapshot is checked against it.';
comment on column core.erasures.name_hashes is 'The same of other names that were erased wherever they stood.';
comment on column core.erasures.document is 'What is signed; null before receipts were.';
comment on column core.erasures.of_receipt is 'Of a note on what is left on the disk: the receipt that it is about.';

alter table core.erasures no force row level security;
update core.erasures set
    session_hash = encode(sha256(core.erasure_names_key() || decode(session_hash, 'hex')), 'hex'),
    user_hash = encode(sha256(core.erasure_names_key() || decode(user_hash, 'hex')), 'hex'),
    message_hash = encode(sha256(core.erasure_names_key() || decode(message_hash, 'hex')), 'hex');
alter table core.erasures force row level security;

create policy upkeep on core.erasures for select to quipu_owner using (true);

reset role;
