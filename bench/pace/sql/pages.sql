-- So many rows of every kind in one space, written as the kinds would have left them: no trigger looks at them.
-- Row n was written n / rows of two years ago; its id is made of n, so that rows find each other without a join.

-- name: quick
set session_replication_role = replica;

-- name: space
select id from core.spaces where name = %(name)s;

-- name: sessions
insert into core.sessions (space_id, id, name, messages, started_at, last_at, distinct_id) overriding system value
select %(space)s, 1000 + n, case n when 0 then 'long' else 'session-' || n end, case n when 0 then %(rows)s else 1 end,
    case n when 0 then now() - interval '2 years' else at end, at, 'person-' || n %% 50
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(0, %(rows)s) n) r;

-- name: messages
insert into core.messages (space_id, id, session_id, external_id, role, user_name, happened_at, recorded_at, content)
select %(space)s, session << 24 | place, session, 'm-' || session || '-' || place, (array['user', 'assistant'])[1 + n %% 2],
    'person-' || n %% 50, at, at, 'What was said as number ' || n || ': ' || %(text)s
from (
    select n, 1000::int8 as session, n as place, now() - interval '2 years' * (%(rows)s - n) / %(rows)s as at
    from generate_series(1, %(rows)s) n
    union all
    select n, 1000 + n, 0, now() - interval '2 years' * n / %(rows)s from generate_series(1, %(rows)s) n
) r;

-- name: message_entries
insert into core.recall_entries (space_id, id, version, happened_at, recorded_at, kind, by_user, asks, has_time, words,
    tokens, mixed_tokens, language)
select %(space)s, id, 1, happened_at, recorded_at, 1, true, false, false, 20, 12, 12, 'english'
from core.messages where space_id = %(space)s and session_id > 1000;

-- name: other_entries
insert into core.recall_entries (space_id, id, version, happened_at, recorded_at, kind, by_user, asks, has_time, words,
    tokens, mixed_tokens, language, source_table, source_id, content)
select %(space)s, (kind::int8 << 56) + (n << 24), 1, at, at, kind, true, false, false, 20, 12, 12, 'english', 'bench', n::text, %(text)s
from (values (2), (3), (4), (5), (6)) k (kind),
    (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1::int8, %(rows)s) n) r;

-- name: session_details
insert into transcripts.session_details (space_id, session_id, project_path, first_line_at, last_line_at, first_prompt)
select space_id, id, '/home/person/project-' || id %% 40, started_at, last_at, %(text)s
from core.sessions where space_id = %(space)s and id >= 1000;

-- name: lines
insert into transcripts.lines (space_id, id, session_id, uuid, type, happened_at, message_id, is_prompt) overriding system value
select space_id, row_number() over (order by id), session_id, external_id, role, happened_at, id, role = 'user'
from core.messages where space_id = %(space)s and session_id >= 1000;

-- name: tool_calls
insert into transcripts.tool_calls (space_id, id, line_id, session_id, tool_name, tool_input, path, happened_at)
select space_id, 'call-' || id, id, session_id, (array['Read', 'Edit', 'Bash'])[1 + id %% 3], jsonb_build_object('a', id),
    'src/file-' || id %% 500 || '.py', happened_at
from transcripts.lines where space_id = %(space)s and id %% 2 = 0;

-- name: tool_results
insert into transcripts.tool_results (space_id, tool_call_id, line_id, session_id, content, happened_at)
select space_id, id, line_id, session_id, %(text)s, happened_at + interval '1 second'
from transcripts.tool_calls where space_id = %(space)s;

-- name: responses
insert into transcripts.responses (space_id, response_id, line_id, session_id, model, happened_at, input_tokens)
select space_id, 'answer-' || id, id, session_id, 'model-' || id %% 3, happened_at, 100
from transcripts.lines where space_id = %(space)s and id %% 2 = 0;

-- name: lessons
insert into transcripts.memories (space_id, id, session_id, fact, category, confidence, created_at, updated_at, status, origin,
    project_path, happened_at, used_at, uses)
select %(space)s, md5('lesson' || n)::uuid, 'session-' || n, 'Lesson number ' || n || ': ' || %(text)s,
    (array['knowledge', 'workflow', 'preference'])[1 + n %% 3], 0.3 + n %% 7 / 10.0, at, at,
    case when n %% 10 = 0 then 'archived' else 'active' end, 'extracted', '/home/person/project-' || n %% 40, at,
    case when n %% 5 = 0 then at end, case when n %% 5 = 0 then 1 else 0 end
from (select n, now() - interval '200 days' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: lesson_sources
insert into transcripts.memory_sources (space_id, memory_id, session_id, turn_index, message_id, excerpt)
select space_id, id, session_id, 0, (1000 + substr(session_id, 9)::int8) << 24, fact
from transcripts.memories where space_id = %(space)s;

-- name: events
insert into ledger.chat_memory_events (space_id, id, session_id, distinct_id, turn_index, event_type, memory_scope,
    memory_namespace, memory_key, new_value_json, value_source, assumed, created_at, standing_event_id) overriding system value
select %(space)s, n, case when n > 5000 then s.uid end, case when n <= 5000 then 'person-0' else s.distinct_id end, 0,
    case when n %% 4 = 0 then 'assumption_set' else 'fact_set' end, case when n > 5000 then 'session' else 'cross_session' end,
    'preference', 'key-' || n, to_jsonb('Value number ' || n || ': ' || %(text)s),
    case when n %% 4 = 0 then 'assumed' else 'explicit' end, n %% 4 = 0,
    now() - interval '2 years' * (%(rows)s - n) / %(rows)s, n
from generate_series(1, %(rows)s) n
join core.sessions s on s.space_id = %(space)s and s.id = 1000 + n;

-- name: session_values
insert into ledger.chat_session_memory (space_id, session_id, memory_namespace, memory_key, value_json, value_source, assumed,
    source_turn_index, source_event_id, last_updated_at)
select space_id, session_id, memory_namespace, memory_key, new_value_json, value_source, assumed, turn_index, id, created_at
from ledger.chat_memory_events where space_id = %(space)s and memory_scope = 'session';

-- name: person_values
insert into ledger.chat_user_preferences (space_id, distinct_id, preference_namespace, preference_key, value_json,
    value_source, assumed, source_event_id, last_updated_at)
select space_id, distinct_id, 'other', memory_key, new_value_json,
    case when assumed then 'default' else value_source end, assumed, id, created_at
from ledger.chat_memory_events where space_id = %(space)s and memory_scope = 'cross_session';

-- name: recommendations
insert into ledger.chat_recommendations (space_id, id, session_id, turn_index, location_label, action, time_window, confidence,
    source_name, rule_version, evidence_count, created_at) overriding system value
select space_id, id, uid, 1, 'The harbour', %(text)s, 'today', 'low', 'system', 'rules-1', 1, last_at
from core.sessions where space_id = %(space)s and id > 1000;

-- name: evidence
insert into ledger.chat_recommendation_evidence (space_id, id, recommendation_id, session_id, turn_index, source_name,
    entity_type, theme, excerpt, created_at) overriding system value
select space_id, id, id, session_id, 1, 'system', 'system', 'other', 'It was said.', created_at
from ledger.chat_recommendations where space_id = %(space)s;

-- name: checks
insert into ledger.chat_competitor_checks (space_id, id, session_id, turn_index, query_text, status, created_at)
    overriding system value
select space_id, id, session_id, 1, 'Who else?', 'not_found', created_at
from ledger.chat_recommendations where space_id = %(space)s;

-- name: episodes
insert into episodes.stored_episodes (space_id, id, session_id, user_name, intent, context, action, emotion, outcome, gist,
    base_salience, topic, salience_factors, open_loops, started_at, ended_at, created_at, updated_at, last_accessed_at,
    access_count, builder, entry_id)
select %(space)s, md5('episode' || n)::uuid, 1000 + n, 'person-' || n %% 50, '{"type": "planning", "direction": "narrowing"}',
    '{"situational": "", "conversational": "", "constraints": []}', %(text)s,
    '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}', %(text)s, 'Episode number ' || n || ': ' || %(text)s, n %% 1000 / 1000.0, 'topic-' || n %% 100,
    '{"novelty": 0.5}', '[]', at - interval '5 minutes', at, at, at, case when n %% 5 = 0 then at + interval '1 day' end,
    case when n %% 5 = 0 then 1 else 0 end, 'rules', (4::int8 << 56) + (n::int8 << 24)
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: episode_messages
insert into episodes.episode_messages (space_id, episode_id, message_id)
select space_id, id, session_id << 24 from episodes.stored_episodes where space_id = %(space)s;

-- name: accesses
insert into episodes.accesses (space_id, episode_id, accessed_at)
select space_id, id, last_accessed_at from episodes.stored_episodes where space_id = %(space)s and access_count > 0;

-- name: threads
insert into episodes.threads (space_id, id, user_name, platform, channel, seq, started_at, last_at, exchanges)
    overriding system value
select space_id, id, distinct_id, 'session', name, 1, started_at, last_at, 1
from core.sessions where space_id = %(space)s and id > 1000;

-- name: topics
insert into episodes.topics (space_id, id, user_name, name, messages, last_at) overriding system value
select space_id, id, distinct_id, 'topic-' || id, 1, last_at from core.sessions where space_id = %(space)s and id > 1000;

-- name: conversations
insert into episodes.conversation_details (space_id, session_id, user_name, title, thread_id, topic_id, updated_at)
select space_id, id, distinct_id, %(text)s, id, id, last_at from core.sessions where space_id = %(space)s and id > 1000;

-- name: exchanges
insert into episodes.exchanges (space_id, id, session_id, thread_id, topic_id, first_message, last_message, user_name,
    started_at, ended_at, episode_id) overriding system value
select space_id, session_id, session_id, session_id, session_id, session_id << 24, session_id << 24, user_name, started_at,
    ended_at, id
from episodes.stored_episodes where space_id = %(space)s;

-- name: prompts
insert into episodes.prompts (space_id, id, session, user_name, content, status, created_at, answered_at)
select space_id, md5('prompt' || id)::uuid, name, distinct_id, %(text)s, 'answered', last_at, last_at
from core.sessions where space_id = %(space)s and id > 1000;

-- name: loops
insert into episodes.loops (space_id, id, kind, state, content, by_whom, user_name, session_id, message_id, said_at, due_at,
    closed_at, outcome)
select %(space)s, md5('loop' || n)::uuid, 'promise', case when n %% 2 = 0 then 'closed' else 'open' end,
    'Promise number ' || n || ': ' || %(text)s, 'user', 'person-' || n %% 50, 1000 + n, (1000 + n)::int8 << 24, at,
    case when n %% 7 = 0 then at + interval '30 days' end, case when n %% 2 = 0 then at + interval '1 day' end,
    case when n %% 2 = 0 then 'resolved' end
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: loop_messages
insert into episodes.loop_messages (space_id, loop_id, message_id)
select space_id, id, message_id from episodes.loops where space_id = %(space)s;

-- name: beliefs
insert into episodes.beliefs (space_id, id, person, user_name, key, slot, value, form, nature, category, confidence, source,
    state, first_said_at, said_at)
select %(space)s, md5('belief' || n)::uuid, 'person-' || n %% 50, 'person-' || n %% 50, 'key_' || n, '', %(text)s, 'form', 'fact',
    'general', 0.5, 'explicit', case when n %% 10 = 0 then 'contested' else 'standing' end, at, at
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: belief_sources
insert into episodes.belief_sources (space_id, belief_id, message_id, excerpt, said_at)
select %(space)s, md5('belief' || n)::uuid, (1000 + n)::int8 << 24, 'It was said.', now() from generate_series(1, %(rows)s) n;

-- name: conflicts
insert into episodes.conflicts (space_id, id, belief_id, rival_id, severity, opened_at)
select %(space)s, md5('conflict' || n)::uuid, md5('belief' || n)::uuid, md5('belief' || n + 1)::uuid, 'low', now()
from generate_series(10, %(rows)s - 1, 10) n;

-- name: longterm
insert into longterm.long_term_memory (space_id, id, category, importance, summary, hash, created_at, updated_at,
    last_accessed_at, access_count, archived, user_name, happened_at, entry_id)
select %(space)s, md5('longterm' || n)::uuid, (array['preference', 'project', 'context'])[1 + n %% 3],
    (array['low', 'medium', 'high'])[1 + n %% 3]::longterm.importance, 'Memory number ' || n || ': ' || %(text)s,
    md5(n::text) || md5(n::text), at, at, case when n %% 5 = 0 then at end, case when n %% 5 = 0 then 1 else 0 end,
    n %% 10 = 0, 'person-' || n %% 50, at, case when n %% 10 <> 0 then (5::int8 << 56) + (n::int8 << 24) end
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: longterm_sources
insert into longterm.sources (space_id, memory_id, version, session, message, excerpt, created_at)
select space_id, id, 1, 'long', id::text, 'It was said.', created_at from longterm.long_term_memory where space_id = %(space)s;

-- name: longterm_history
insert into longterm.history (space_id, memory_id, version, act, category, importance, summary, changed_at, changed_by)
select space_id, id, 1, 'edit', category, importance, summary, updated_at, 'hand'
from longterm.long_term_memory where space_id = %(space)s;

-- name: documents
insert into documents.documents (space_id, id, place, key, body, metadata, user_name, index_paths, version, created_at, updated_at)
select %(space)s, md5('document' || n)::uuid, 'shelf-' || n %% 20 || chr(31) || 'box-' || n %% 400 || chr(31),
    'document-' || n, 'Document number ' || n || ': ' || %(text)s, jsonb_build_object('number', n), 'person-' || n %% 50,
    '{}', case when n %% 5 = 2 then 2 else 1 end, at, at
from (select n, now() - interval '2 years' * n / %(rows)s as at from generate_series(1, %(rows)s) n) r;

-- name: document_versions
insert into documents.versions (space_id, document_id, version, place, key, body, user_name, index_paths, sha256, created_at,
    written_at, ended_at, ended_by)
select space_id, id, 1, place, key, %(text)s, user_name, index_paths, documents.digest(null, %(text)s), created_at,
    created_at, updated_at, 'change'
from documents.documents where space_id = %(space)s and version = 2;

-- name: audit
insert into longterm.audit (space_id, id, at, act, outcome, took_ms, counts, user_name) overriding system value
select %(space)s, n, now() - interval '2 years' * (%(rows)s - n) / %(rows)s, 'recover', 'found', 5, '{"recalled": 3}',
    'person-' || n %% 50
from generate_series(1, %(rows)s) n;

-- name: audit_memories
insert into longterm.audit_memories (space_id, audit_id, place, memory_id, action)
select %(space)s, n, place, md5('longterm' || n)::uuid, 'injected' from generate_series(1, %(rows)s) n, generate_series(0, 2) place;

-- name: counted
update core.spaces set entries = 6 * %(rows)s, tokens = 72 * %(rows)s, mixed_tokens = 72 * %(rows)s, threads = %(rows)s,
    unindexed = 0 where id = %(space)s;

-- name: schema_name
select schema_name from tables.schemas where space_id = %(space)s;

-- name: own_table
insert into {table} (id, name, body, level, at)
select n, 'Boat number ' || n, %(text)s, n %% 1000, now() - interval '2 years' * n / %(rows)s from generate_series(1, %(rows)s) n;
