-- Whether an unanswered prompt waits or has failed is read from its job, and why from how it stands: a job that is given
-- up because its worker died has nobody who could write that down.

set local role quipu_owner;

alter table episodes.prompts no force row level security;
update episodes.prompts set status = 'waiting', answered_at = null where status = 'failed';
alter table episodes.prompts force row level security;

alter table episodes.prompts
    drop column error,
    drop constraint prompts_status_check,
    add constraint prompts_status_check check (status in ('waiting', 'answered', 'no_agent'));
comment on column episodes.prompts.status is
    'waiting: its job waits, or has failed. no_agent: nobody was configured who could answer.';

reset role;
