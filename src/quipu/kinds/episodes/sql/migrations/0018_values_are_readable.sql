-- JSON that Python does not read, nested without end or with numbers of more than 4,300 digits, kept all other episodes of
-- the space from being listed: SQL that writes it is refused, as in the ledger.

set local role quipu_owner;

alter table episodes.stored_episodes add constraint values_are_readable check (
    not intent @? 'strict $.**{33}' and not intent @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not context @? 'strict $.**{33}' and not context @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not emotion @? 'strict $.**{33}' and not emotion @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not salience_factors @? 'strict $.**{33}' and not salience_factors @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not open_loops @? 'strict $.**{33}' and not open_loops @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table episodes.message_details add constraint values_are_readable check (
    not metadata @? 'strict $.**{33}' and not metadata @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;

reset role;
