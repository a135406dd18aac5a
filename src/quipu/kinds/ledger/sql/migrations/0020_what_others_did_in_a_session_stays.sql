-- A session of a person in which others spoke stays with what these said, and with the tools that were used for them.

set local role quipu_owner;

create or replace function ledger.erase_sessions(gone uuid[]) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.current_space();
begin
    perform ledger.erase_events_of_sessions(gone);
    delete from ledger.chat_session_memory where space_id = here and session_id = any(gone);
    update ledger.chat_user_preferences set last_session_id = null
    where space_id = here and last_session_id = any(gone);
    delete from ledger.chat_recommendation_evidence where space_id = here and session_id = any(gone);
    delete from ledger.chat_recommendations where space_id = here and session_id = any(gone);
    delete from ledger.chat_competitor_checks where space_id = here and session_id = any(gone);
    delete from ledger.chat_review_signal_runs where space_id = here and session_id = any(gone);
    delete from ledger.chat_fallbacks where space_id = here and session_id = any(gone);
    -- The call of a message of somebody else goes with that message, if it goes.
    delete from core.tool_calls c using core.sessions s
    where c.space_id = here and s.space_id = here and s.id = c.session_id and s.uid = any(gone)
        and not exists (
            select from core.messages m
            where m.space_id = here and m.id = c.message_id and m.user_name <> coalesce(s.distinct_id, s.belongs_to));
    delete from ledger.session_details where space_id = here and session_id = any(gone);
end
$$;

reset role;
