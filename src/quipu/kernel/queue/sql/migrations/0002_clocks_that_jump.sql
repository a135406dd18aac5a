-- What removes for good and is far behind its time waits once more: the clock may be wrong.
set local role quipu_owner;

alter table core.schedules add column held_at timestamptz;
comment on column core.schedules.held_at is 'When it was put off because it was far behind; null: it has fired since.';

reset role;
