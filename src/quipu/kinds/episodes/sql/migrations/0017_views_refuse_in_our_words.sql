-- What the views of conversations and messages do not take is refused in our words; the rights let the statement come as
-- far as that.

set local role quipu_owner;

create trigger refused instead of delete on episodes.conversations
    for each row execute function core.refuse_statement(
        'Set status to ''deleted'' to put it away, or use forget(session=…, confirm=True) for good.');
create trigger refused instead of delete on episodes.messages
    for each row execute function core.refuse_statement(
        'What was said goes by forget(message=…, confirm=True), from everything that was made of it.');

grant delete on episodes.conversations, episodes.messages to quipu_app;

reset role;
