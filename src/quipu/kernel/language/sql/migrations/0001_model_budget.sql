set local role quipu_owner;

-- How many tokens of language models were used on which day and for what, all spaces and workers together.
create table core.language_budget (
    day date not null,
    purpose text not null check (purpose ~ '^[a-z][a-z0-9_.]{0,63}$'),
    requests bigint not null default 0 check (requests >= 0),
    tokens bigint not null default 0 check (tokens >= 0),
    primary key (day, purpose)
);
comment on table core.language_budget is
    'Tokens by UTC day and purpose; a request counts with all it may cost until it is known what it did cost.';

-- One at a time, across all purposes: else two who see the same rest would both take it.
create function core.reserve_language_tokens(on_day date, purpose_name text, wanted bigint, most bigint)
    returns boolean
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform pg_advisory_xact_lock(7310522005);
    if (select coalesce(sum(b.tokens), 0) from core.language_budget b where b.day = on_day) + wanted > most then
        return false;
    end if;
    insert into core.language_budget as b (day, purpose, requests, tokens) values (on_day, purpose_name, 1, wanted)
    on conflict (day, purpose) do update set requests = b.requests + 1, tokens = b.tokens + excluded.tokens;
    return true;
end
$$;
comment on function core.reserve_language_tokens(date, text, bigint, bigint) is
    'Sets tokens of a day aside for one request; false, and nothing changes, if the day has not so many left.';

create function core.settle_language_tokens(on_day date, purpose_name text, difference bigint) returns void
    language sql volatile security definer set search_path = ''
    as $$
    update core.language_budget set tokens = greatest(0, tokens + difference)
    where day = on_day and purpose = purpose_name
    $$;
comment on function core.settle_language_tokens(date, text, bigint) is
    'Corrects what was set aside for a request to what it did cost.';

revoke execute on function core.reserve_language_tokens(date, text, bigint, bigint),
    core.settle_language_tokens(date, text, bigint) from public;

grant execute on function core.reserve_language_tokens(date, text, bigint, bigint),
    core.settle_language_tokens(date, text, bigint) to quipu_app;

grant select on core.language_budget to quipu_app;

reset role;
