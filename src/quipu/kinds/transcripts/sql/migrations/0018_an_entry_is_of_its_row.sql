-- Whatever SQL does to a row, its entry is its own (see core.be_given_entry): also where it is copied back, is given
-- another id, or all of them are to go at once.

set local role quipu_owner;

create trigger be_given_entry before insert on transcripts.memories
    for each row when (new.entry_id is not null) execute function core.be_given_entry('3');
create trigger be_given_entry_again before update on transcripts.memories
    for each row when (old.entry_id is distinct from new.entry_id) execute function core.be_given_entry('3');
create or replace trigger unfile_updated before update on transcripts.memories
    for each row when (old.entry_id is not distinct from new.entry_id
        and (old.id, old.fact, old.status) is distinct from (new.id, new.fact, new.status))
    execute function core.unfile_row('3');
create trigger not_emptied before truncate on transcripts.memories
    for each statement execute function core.refuse_statement(
        'Truncating leaves the index as it is: delete the rows, in the space that was entered.');

reset role;
