set local role quipu_owner;

-- People who open the pages of a server: links that sign a browser in once, and the sessions that come of them.
create table core.signins (
    token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
    kind text not null check (kind in ('link', 'session')),
    ends_at timestamptz not null
);
comment on table core.signins is
    'Of no space: who is signed in sees all. Only hashes of random tokens; any server of this database knows them.';

create index signins_ended on core.signins (ends_at);

create function core.redeem_signin_link(link bytea, session bytea, at timestamptz, until timestamptz) returns boolean
    language sql volatile security definer set search_path = ''
    as $$
    with redeemed as (
        delete from core.signins where token_sha256 = link and kind = 'link' and ends_at > at returning 1
    ), begun as (
        insert into core.signins (token_sha256, kind, ends_at) select session, 'session', until from redeemed returning 1
    ) select exists (select from begun)
    $$;
comment on function core.redeem_signin_link(bytea, bytea, timestamptz, timestamptz) is
    'Exchanges a link for a session, once; false where the link is none, was used or has ended.';

create function core.is_signed_in(session bytea, at timestamptz) returns boolean
    language sql stable security definer set search_path = ''
    as $$
    select exists (select from core.signins where token_sha256 = session and kind = 'session' and ends_at > at)
    $$;
comment on function core.is_signed_in(bytea, timestamptz) is 'Is there such a session, which has not ended?';

create function core.sign_out(session bytea) returns void
    language sql volatile security definer set search_path = ''
    as $$ delete from core.signins where token_sha256 = session and kind = 'session' $$;
comment on function core.sign_out(bytea) is 'Ends a session in all servers of this database.';

create function core.drop_ended_signins(at timestamptz) returns bigint
    language sql volatile security definer set search_path = ''
    as $$ with gone as (delete from core.signins where ends_at <= at returning 1) select count(*) from gone $$;
comment on function core.drop_ended_signins(timestamptz) is 'Drops links and sessions that have ended; how many.';

revoke execute on function core.redeem_signin_link(bytea, bytea, timestamptz, timestamptz),
    core.is_signed_in(bytea, timestamptz), core.sign_out(bytea), core.drop_ended_signins(timestamptz) from public;

grant execute on function core.redeem_signin_link(bytea, bytea, timestamptz, timestamptz),
    core.is_signed_in(bytea, timestamptz), core.sign_out(bytea), core.drop_ended_signins(timestamptz) to quipu_app;

reset role;
