-- What the views of messages, tool calls and figures do not take is refused in our words: how their rows come and go.
-- The rights let the statement come as far as that.

set local role quipu_owner;

create trigger refused instead of insert or update or delete on ledger.chat_messages
    for each row execute function core.refuse_statement(
        'Messages come by observe(), and go by forget(message=…, confirm=True).');
create trigger refused instead of insert or update or delete on ledger.chat_tool_calls
    for each row execute function core.refuse_statement(
        'Tool calls come by observe(), with the message that made them, and go with it by forget(message=…, confirm=True).');

grant insert, update, delete on ledger.chat_messages, ledger.chat_tool_calls to quipu_app;

do $$
declare
    figures text;
begin
    foreach figures in array '{evidence_coverage,evidence_recency,assumption_friction,source_reliability,source_recency,
        first_insight}'::text[]
    loop
        execute format(
            'create trigger refused instead of insert or update or delete on ledger.%I'
            ' for each row execute function core.refuse_statement(%L)', figures,
            'These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');
        execute format('grant insert, update, delete on ledger.%I to quipu_app', figures);
    end loop;
end
$$;

reset role;
