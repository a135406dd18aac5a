-- What the views of sessions and messages do not take is refused in our words: how they come and go. The rights let the
-- statement come as far as that.

set local role quipu_owner;

create trigger refused instead of insert or delete on transcripts.sessions
    for each row execute function core.refuse_statement(
        'Sessions come by `quipu transcripts sync` or observe(), and go by forget(session=…, confirm=True). Here '
            'memories_extracted and extraction_attempted_at can be changed.');
create trigger refused instead of insert or update or delete on transcripts.messages
    for each row execute function core.refuse_statement(
        'Messages come by `quipu transcripts sync` or observe(), and go by forget(message=…, confirm=True).');

grant insert, delete on transcripts.sessions to quipu_app;
grant insert, update, delete on transcripts.messages to quipu_app;

reset role;
