-- How surprising an exchange was told nothing of where an episode ends (docs/decisions/threads-and-topics.md).

set local role quipu_owner;

alter table episodes.exchanges drop column surprise;

reset role;
