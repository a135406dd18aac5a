"""A row for each table of a kind, in the space that was entered and the session ``s`` that is there."""

RECORD = """
with named as (
    insert into aliases (alias, name, made_by, message_id)
    select 'Kate', 'Emi', 'rule', max(id) from messages where space_id = current_space()
)
insert into corrections (kind, memory_id, message_id, marked, text, rule)
select 'longterm', gen_random_uuid(), max(id), gen_random_uuid(), 'Likes boats.', 'likes' from messages
where space_id = current_space();
insert into removed_messages (id, session_id, external_id, role, happened_at, recorded_at, redacted, content,
    metadata, removed_at)
select max(id) + 1, max(id) >> 24, 'removed', 'user', now(), now(), 0, 'Taken back.', '{}', now()
from messages where space_id = current_space();
insert into relations (newer, older, reason, made_by)
select max(id), min(id), 'moved', 'rule' from messages where space_id = current_space();
with brought as (
    insert into imports (source, label, sha256, begun_at) values ('mem0', 'file', repeat('0', 64), now())
    returning id
)
insert into origins (import_id, source, kind, source_id, message_id, digest, raw)
select brought.id, 'mem0', 'message', 's/1', max(m.id), decode(repeat('00', 16), 'hex'), '{}'
from brought, messages m where m.space_id = current_space() group by brought.id;
insert into carried_receipts (space_id, id, erased_at, counts, document, signature, public_key)
values (current_space(), gen_random_uuid(), now(), '{}', '{}', decode(repeat('00', 64), 'hex'),
    decode(repeat('00', 32), 'hex'));
insert into standing_rules (id, message_id, text, made_by, since)
select gen_random_uuid(), max(id), 'Be brief.', 'rule', now() from messages where space_id = current_space()
"""

LEDGER = """
with s as (select id, uid from core.sessions where space_id = core.current_space() and name = 's'),
calls as (
    insert into core.tool_calls (session_id, turn_index, tool_name, status, latency_ms)
    select id, 1, 'look', 'ok', 5 from s
), recommended as (
    insert into chat_recommendations (session_id, turn_index, location_label, action, time_window, confidence,
        source_name, rule_version)
    select uid, 1, 'Lisbon', 'row', 'today', 'low', 'system', 'r' from s
    returning id, session_id
), shown as (
    insert into chat_recommendation_evidence
        (recommendation_id, session_id, turn_index, source_name, entity_type, theme)
    select id, session_id, 1, 'system', 'system', 'other' from recommended
), checks as (
    insert into chat_competitor_checks (session_id, turn_index, query_text, status)
    select uid, 1, 'q', 'error' from s
), runs as (
    insert into chat_review_signal_runs
        (session_id, turn_index, entity_type, place_id, recency_window_days, status)
    select uid, 1, 'competitor', 'p', 90, 'ok' from s
), fallbacks as (
    insert into chat_fallbacks (session_id, turn_index, fallback_type, reason, response_text)
    select uid, 1, 'timeout', 'slow', 'later' from s
), shape as (insert into shapes (pattern, namespace, shape) values ('diet', 'constraint', '{}')
), job as (insert into core.outbox (topic, key) values ('note', 'k')
), answered as (
    insert into core.kept_answers (caller, key_sha256, request_sha256, begun_at)
    values ('c', sha256('k'), decode(repeat('00', 32), 'hex'), now())
)
insert into source_runs (source_name, run_started_at, status) values ('weather', now(), 'ok')
"""

TRANSCRIPTS = """
with s as (select id, name from core.sessions where space_id = core.current_space() and name = 's'),
read as (
    insert into files (path, size_bytes, offset_bytes, prefix_sha256, modified_at)
    values ('f', 1, 1, '', now())
), details as (
    insert into session_details (session_id) select id from s
), summed as (insert into summaries (leaf_uuid, summary) values ('u', 's')
), line as (
    insert into lines (session_id, uuid, type, happened_at) select id, 'u', 'user', now() from s
    returning id, session_id
), found as (
    insert into texts (line_id, part, session_id, role, happened_at, words, weight, terms)
    select id, 'said', session_id, 'user', now(), 1, 1, '1/boat' from line
), changed as (insert into unindexed (line_id) select id from line
), indexed as (insert into indexing (space_id) values (core.current_space())
), answers as (
    insert into responses (response_id, line_id, session_id, happened_at)
    select 'r', id, session_id, now() from line
), calls as (
    insert into tool_calls (id, line_id, session_id, tool_name, happened_at)
    select 'c', id, session_id, 'Read', now() from line
), results as (
    insert into tool_results (tool_call_id, line_id, session_id, content, happened_at)
    select 'c', id, session_id, 'text', now() from line
), team as (insert into teams (id) values ('t')
), members as (insert into team_members (id, team_id) values ('m', 't')
), tasks as (insert into team_tasks (id, team_id) values ('t:1', 't')
), typed as (insert into prompts (happened_at, content) values (now(), 'hello')
), extracted as (
    insert into extractions (session_id, extractor, version, status, attempted_at)
    select id, 'rules', 1, 'done', now() from s
), facts as (
    insert into memories (fact) values ('a'), ('b') returning id
), sources as (
    insert into memory_sources (memory_id, session_id, turn_index) select facts.id, s.name, 1 from facts, s
), quarrels as (
    insert into memory_contradictions (memory_id, contradicted_by)
    select a.id, b.id from facts a, facts b where a.id < b.id
), edits as (
    insert into memory_edits (memory_id, fact) select id, 'before' from facts
), thread as (
    update core.recall_threads t set next_position = next_position + 1 from s
    where t.space_id = core.current_space() and t.id = s.id returning t.id, next_position - 1 as place
), waiting as (
    insert into core.messages (space_id, id, session_id, external_id, role, happened_at, recorded_at, content)
    select core.current_space(), id << 24 | place, id, 'waits', 'user', now(), now(), 'text' from thread
    returning id, happened_at
), grown as (
    update core.sessions set messages = messages + 1, last_at = now()
    where space_id = core.current_space() and name = 's'
), known as (
    update core.spaces set unindexed = unindexed | 1 where id = core.current_space()
)
insert into core.unindexed_messages (message_id, happened_at) select id, happened_at from waiting
"""

LONGTERM = """
with s as (select id from core.sessions where space_id = core.current_space() and name = 's'),
kept as (
    insert into long_term_memory (category, importance, summary, hash, archived)
    values ('pets', 'low', 'a', repeat('0', 64), true) returning id
), before as (
    insert into history (memory_id, version, act, category, importance, summary, changed_at, changed_by)
    select id, 1, 'archive', 'pets', 'low', 'a', now(), 'hand' from kept
), told as (insert into sources (memory_id, version, session, created_at) select id, 1, 's', now() from kept
), evaluated as (
    insert into evaluations (session_id, evaluator, version, evaluated_at) select id, 'rules', 1, now() from s
), line as (
    insert into audit (at, act, outcome, took_ms) values (now(), 'recover', 'found', 1) returning id
)
insert into audit_memories (audit_id, place, memory_id, action)
select line.id, 0, kept.id, 'recalled' from line, kept
"""

DOCUMENTS = """
with kept as (
    insert into documents (place, key, body, index_paths) values (E'n\\x1f', 'k', 'boat', '{}') returning id
), before as (
    insert into versions
        (document_id, version, place, key, body, index_paths, sha256, created_at, written_at, ended_by)
    select gen_random_uuid(), 1, E'n\\x1f', 'gone', 'boat', '{}', '', now(), now(), 'delete'
), own as (insert into vectors (document_id, vector) select id, '[1]' from kept
)
insert into passages (document_id, number, field, text, happened_at) select id, 0, '', 'boat', now() from kept
"""

EPISODES = """
with s as (select id, name from core.sessions where space_id = core.current_space() and name = 's'),
thread as (
    insert into threads (platform, channel, seq, started_at, last_at, exchanges)
    values ('session', 's', 1, now(), now(), 1) returning id
), topic as (
    insert into topics (name, last_at) values ('boats', now()) returning id
), details as (
    insert into conversation_details (session_id, thread_id, topic_id)
    select s.id, thread.id, topic.id from s, thread, topic
), said as (
    select min(m.id) as id, s.id as session_id from core.messages m, s
    where m.space_id = core.current_space() and m.session_id = s.id group by s.id
), modes as (
    insert into message_details (message_id, mode) select id, 'RESPOND' from said
), read as (
    insert into progress (session_id, topic, mark) select session_id, 'memory_chunker', id from said
), asked as (
    insert into prompts (session, content, created_at) values ('s', 'hello', now())
), episode as (
    insert into stored_episodes (session_id, intent, context, action, emotion, outcome, gist, base_salience,
        topic, salience_factors, started_at, ended_at, last_accessed_at, access_count, builder, refile)
    select s.id, '{}', '{}', '', '{}', '', 'The boat is blue.', 0.5, 'boats', '{}', now(), now(), now(), 1,
        'sql', true
    from s returning id
), made as (
    insert into episode_messages (episode_id, message_id) select episode.id, said.id from episode, said
), uses as (
    insert into accesses (episode_id, accessed_at) select id, now() from episode
), before as (
    insert into episode_history (episode_id, version, said, base_salience, builder, builder_version,
        replaced_at)
    select id, 1, '{"gist": "The boat was red."}', 0.5, 'rules', 1, now() from episode
), known as (
    update core.spaces set unindexed = unindexed | 8 where id = core.current_space()
), loop as (
    insert into loops (kind, content, by_whom, session_id, message_id, said_at)
    select 'promise', 'I will row.', 'user', session_id, id, now() from said returning id, message_id
), words as (
    insert into loop_messages (loop_id, message_id) select id, message_id from loop
), believed as (
    insert into beliefs (person, key, slot, value, form, nature, category, confidence, source, state,
        first_said_at, said_at)
    select '', 'home', '', value, value, 'trait', 'core', 0.5, 'explicit', state, now(), now()
    from (values ('lisbon', 'contested'), ('faro', 'contested')) v (value, state)
    returning id, value
), told as (
    insert into belief_sources (belief_id, message_id, excerpt, said_at)
    select believed.id, said.id, 'hello', now() from believed, said
), quarrel as (
    insert into conflicts (belief_id, rival_id, severity, opened_at)
    select b.id, r.id, 'low', now() from believed b, believed r
    where b.value = 'lisbon' and r.value = 'faro'
)
insert into exchanges (session_id, thread_id, topic_id, first_message, last_message, started_at, ended_at,
    episode_id)
select said.session_id, thread.id, topic.id, said.id, said.id, now(), now(), episode.id
from said, thread, topic, episode
"""

DESIGNED = """
with made as (
    insert into tables.schemas (name, schema_name, writer, reader)
    values ('memory', 'memory_s' || core.current_space(), 'w' || core.current_space(),
        'r' || core.current_space())
    returning space_id, id
), secret as (
    insert into tables.passwords (space_id, schema_id, writer_password, reader_password)
    select space_id, id, 'a', 'b' from made
), login as (
    insert into transcripts.readers (role, password) values ('r' || core.current_space(), 'c')
), granted as (
    insert into tables.grants (space_id, schema_id, agent, permission)
    select space_id, id, 'a', 'read' from made
), changed as (
    insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)
    select space_id, id, 0, '1' from made
), embedded as (
    insert into tables.embeddings
        (space_id, schema_id, relation_id, source_id, field_name, entry_id, content_hash, field_hash)
    select space_id, id, 0, '1', 'text', -1, '', '' from made
), held as (
    insert into tables.following (space_id, schema_id) select space_id, id from made
), kept as (
    insert into tables.kept_vectors (space_id, schema_id, content_hash, generation, vector)
    select space_id, id, '', 1, '[1]' from made
)
insert into tables.relations (space_id, schema_id, relation, table_name, columns, key, fields)
select space_id, id, 0, 'notes', '{}', '{}', '{}' from made
"""

# As an open transaction sees it: a trigger takes the row when it commits.
AT_COMMIT = """
set session_replication_role = replica;
insert into at_commit (space_id, kind) values (core.current_space(), 3)
"""
