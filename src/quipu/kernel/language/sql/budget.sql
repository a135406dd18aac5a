-- name: reserve: set tokens of a day aside; false if so many are not left
select core.reserve_language_tokens(%(day)s::date, %(purpose)s::text, %(tokens)s::bigint, %(most)s::bigint)

-- name: settle: correct what was set aside to what was used
select core.settle_language_tokens(%(day)s::date, %(purpose)s::text, %(difference)s::bigint)

-- name: spent: what was used in a day, by purpose
select purpose, requests, tokens from core.language_budget where day = %(day)s::date order by purpose
