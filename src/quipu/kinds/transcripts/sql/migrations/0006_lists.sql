-- Lists of 100,000 sessions and memories: the latest sessions, the subagents and the responses of a session, and what
-- was used last, are found without reading all of them.

set local role quipu_owner;

create index session_details_latest on transcripts.session_details (space_id, last_line_at desc nulls last);
create index session_details_parent on transcripts.session_details (space_id, parent_session)
    where parent_session is not null;
create index responses_session on transcripts.responses (space_id, session_id);
create index memories_used on transcripts.memories (space_id, used_at) where used_at is not null;

reset role;
