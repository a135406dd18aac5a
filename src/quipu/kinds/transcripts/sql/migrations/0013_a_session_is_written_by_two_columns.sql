-- What SQL writes to transcripts.sessions is the state of its extraction; anything else was passed over.

set local role quipu_owner;

create trigger written instead of update on transcripts.sessions
    for each row execute function core.refuse_unwritten('session_number',
        'memories_extracted (0 or 1) and extraction_attempted_at can be changed; the rest follows from the files that a '
            'sync reads.', '');

reset role;
