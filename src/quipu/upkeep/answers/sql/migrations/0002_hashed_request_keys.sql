-- Only the SHA-256 of an Idempotency-Key is kept: a key may be, or hold, a secret.

set local role quipu_owner;

-- The primary key keeps its name and its columns' order.
alter table core.kept_answers drop constraint kept_answers_request_key_check;
alter table core.kept_answers
    alter column request_key type bytea using sha256(convert_to(request_key, 'UTF8'));
alter table core.kept_answers rename column request_key to key_sha256;
alter table core.kept_answers
    add constraint kept_answers_key_sha256_check check (octet_length(key_sha256) = 32);
comment on column core.kept_answers.key_sha256 is 'SHA-256 of the Idempotency-Key in UTF-8.';

reset role;
