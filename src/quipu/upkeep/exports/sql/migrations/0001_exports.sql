set local role quipu_owner;

-- Files that were handed out: what kind, how large, when, and the digest by which one is recognised.
create table core.exports (
    space_id integer not null,
    id uuid not null,
    kind text not null check (kind in ('tables', 'longterm', 'transcripts')),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    bytes bigint not null check (bytes >= 0),
    written_at timestamptz not null,
    primary key (space_id, id)
);
comment on table core.exports is 'No reference to core.spaces: a file that was handed out outlives a space that was erased whole.';
comment on column core.exports.sha256 is 'Of the file as it was written, by which it is recognised under another name.';

call core.keep_in_space('core', array['exports'], rights => 'select, insert');

reset role;
