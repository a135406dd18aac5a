-- What of the ledger belongs to one person (see core.current_person): events and preferences that name them, and what
-- hangs from a session that is theirs. How sources of the operator ran, and how far the index has read, is nobody's.

set local role quipu_owner;

create policy person on ledger.chat_memory_events as restrictive to quipu_person
    using (distinct_id = (select core.current_person())
        or distinct_id is null and session_id in (
            select s.uid from core.sessions s where s.space_id = (select core.current_space())));
create policy person on ledger.chat_user_preferences as restrictive to quipu_person
    using (distinct_id = (select core.current_person()));

do $$
declare
    t text;
begin
    foreach t in array array['chat_session_memory', 'session_details', 'chat_recommendations',
        'chat_recommendation_evidence', 'chat_competitor_checks', 'chat_fallbacks', 'chat_review_signal_runs'] loop
        execute format('create policy person on ledger.%I as restrictive to quipu_person using (session_id in ('
            'select s.uid from core.sessions s where s.space_id = (select core.current_space())))', t);
    end loop;
end
$$;

grant usage on schema ledger to quipu_person;
grant select, insert on ledger.chat_memory_events to quipu_person;
grant select, insert, update, delete on ledger.chat_user_preferences, ledger.chat_session_memory to quipu_person;
grant select, insert, update on ledger.session_details, ledger.chat_competitor_checks, ledger.chat_fallbacks,
    ledger.chat_review_signal_runs, ledger.chat_recommendation_evidence, ledger.chat_sessions to quipu_person;
grant select, insert on ledger.chat_recommendations to quipu_person;
grant select on ledger.assumption_friction, ledger.chat_messages, ledger.chat_tool_calls, ledger.evidence_coverage,
    ledger.evidence_recency, ledger.first_insight to quipu_person;
grant usage on all sequences in schema ledger to quipu_person;

reset role;
