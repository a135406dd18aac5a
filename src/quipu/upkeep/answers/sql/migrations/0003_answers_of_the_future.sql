-- An answer of a clock that was set back since would be kept for longer than a day.
set local role quipu_owner;

create or replace function core.drop_kept_answers(before timestamptz) returns bigint
    language sql volatile security definer set search_path = ''
    as $$
    with gone as (
        delete from core.kept_answers where begun_at < before or begun_at > before + interval '2 days' returning 1
    ) select count(*) from gone
    $$;
comment on function core.drop_kept_answers(timestamptz) is
    'Drops those of all spaces that were begun before, or two days after it, which is a day from now; how many.';

reset role;
