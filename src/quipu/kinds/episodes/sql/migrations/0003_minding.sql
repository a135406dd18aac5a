-- What is to be borne in mind: loops that are open until something resolves them, and beliefs about people, settled
-- when they are written: the same again makes surer, a correction supersedes, anything else is an open conflict.

set local role quipu_owner;

create table episodes.loops (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('question', 'promise', 'task', 'waiting', 'followup')),
    state text not null default 'open' check (state in ('open', 'closed')),
    content text not null check (char_length(content) between 1 and 2000),
    by_whom text not null check (char_length(by_whom) between 1 and 512),
    user_name text check (char_length(user_name) between 1 and 512),
    session_id bigint not null,
    message_id bigint not null,
    said_at timestamptz not null,
    due_at timestamptz,
    mentions integer not null default 1 check (mentions > 0),
    things integer[] not null default '{}',
    verbs integer[] not null default '{}',
    closed_at timestamptz,
    outcome text check (outcome in ('resolved', 'dropped')),
    evidence text check (char_length(evidence) between 1 and 1000),
    evidence_message bigint,
    reopened integer not null default 0 check (reopened >= 0),
    primary key (space_id, id),
    check ((state = 'closed') = (closed_at is not null)),
    check ((closed_at is null) = (outcome is null)),
    check (state = 'closed' or evidence is null),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade,
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
comment on column episodes.loops.by_whom is 'Who left it open: a name, or the role where nobody is named.';
comment on column episodes.loops.things is 'Terms of what it is about, verbs of what is to be done: later turns are recognised by them.';
comment on column episodes.loops.evidence is 'The words that closed it; null where it was closed by hand without any, or they were erased.';
create index loops_open on episodes.loops (space_id, user_name, said_at) where state = 'open';
create index loops_session on episodes.loops (space_id, session_id);
create index loops_message on episodes.loops (space_id, message_id);
create index loops_evidence on episodes.loops (space_id, evidence_message) where evidence_message is not null;

-- A loop goes with any message whose words are in it.
create table episodes.loop_messages (
    space_id integer not null default core.current_space(),
    loop_id uuid not null,
    message_id bigint not null,
    primary key (space_id, loop_id, message_id),
    foreign key (space_id, loop_id) references episodes.loops (space_id, id) on delete cascade,
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
create index loop_messages_message on episodes.loop_messages (space_id, message_id);

create table episodes.beliefs (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    person text not null check (char_length(person) <= 512),
    user_name text check (char_length(user_name) between 1 and 512),
    key text not null check (key ~ '^[a-z0-9][a-z0-9_]{0,63}$'),
    slot text not null,
    value text not null check (char_length(value) between 1 and 1000),
    form text not null check (form <> ''),
    nature text not null check (nature in ('trait', 'fact')),
    category text not null check (category in ('core', 'preference', 'physical', 'relationship', 'general')),
    confidence real not null check (confidence between 0 and 1),
    source text not null check (source in ('explicit', 'inferred', 'explicit_correction')),
    state text not null check (state in ('standing', 'contested', 'superseded')),
    by_hand boolean not null default false,
    first_said_at timestamptz not null,
    said_at timestamptz not null,
    ending text check (ending in
        ('corrected', 'changed', 'refined', 'stronger', 'weaker', 'older', 'denied', 'by_hand')),
    ended_at timestamptz,
    successor uuid,
    entry_id bigint,
    primary key (space_id, id),
    check ((state = 'superseded') = (ended_at is not null)),
    check ((ended_at is null) = (ending is null)),
    check (entry_id is null or state = 'standing'),
    foreign key (space_id, successor) references episodes.beliefs (space_id, id) on delete set null (successor)
);
comment on column episodes.beliefs.person is 'Whom it is about: the user, or who spoke; empty where nobody is named.';
comment on column episodes.beliefs.slot is 'Empty where a key has one value; the form where it may have several.';
comment on column episodes.beliefs.form is 'The value without case, articles and punctuation: the same value has the same.';
comment on column episodes.beliefs.entry_id is 'Its entry in core.recall_entries: only what stands is found.';
create unique index beliefs_standing on episodes.beliefs (space_id, person, key, slot) where state = 'standing';
create index beliefs_key on episodes.beliefs (space_id, person, key);
create unique index beliefs_entry on episodes.beliefs (space_id, entry_id) where entry_id is not null;
create index beliefs_successor on episodes.beliefs (space_id, successor) where successor is not null;

create table episodes.belief_sources (
    space_id integer not null default core.current_space(),
    belief_id uuid not null,
    message_id bigint not null,
    excerpt text not null check (char_length(excerpt) <= 1000),
    said_at timestamptz not null,
    primary key (space_id, belief_id, message_id),
    foreign key (space_id, belief_id) references episodes.beliefs (space_id, id) on delete cascade,
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
create index belief_sources_message on episodes.belief_sources (space_id, message_id);

create table episodes.conflicts (
    space_id integer not null default core.current_space(),
    id uuid not null default gen_random_uuid(),
    belief_id uuid not null,
    rival_id uuid not null,
    severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
    state text not null default 'open' check (state in ('open', 'surfaced', 'resolved', 'decayed')),
    surfaced integer not null default 0 check (surfaced >= 0),
    surfaced_at timestamptz,
    opened_at timestamptz not null,
    resolved_at timestamptz,
    strategy text check (strategy in ('temporal_supersede', 'user_clarified', 'evidence_resolved',
        'confidence_dominance', 'decayed', 'deleted')),
    primary key (space_id, id),
    unique (space_id, belief_id, rival_id),
    check (belief_id <> rival_id),
    check ((state in ('resolved', 'decayed')) = (resolved_at is not null)),
    check ((resolved_at is null) = (strategy is null)),
    foreign key (space_id, belief_id) references episodes.beliefs (space_id, id) on delete cascade,
    foreign key (space_id, rival_id) references episodes.beliefs (space_id, id) on delete cascade
);
comment on column episodes.conflicts.severity is 'When it began; each time that it is asked about lowers it by one.';
create index conflicts_rival on episodes.conflicts (space_id, rival_id);

do $$
declare
    t text;
begin
    foreach t in array array['loops', 'loop_messages', 'beliefs', 'belief_sources', 'conflicts'] loop
        execute format('alter table episodes.%I enable row level security', t);
        execute format('alter table episodes.%I force row level security', t);
        execute format('create policy own_space on episodes.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on episodes.%I to quipu_app', t);
    end loop;
end
$$;

reset role;
