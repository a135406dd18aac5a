-- What reads a type from text and writes it is harmless: it was taken from everybody where it names a number or
-- a C string among its arguments, and then a comparison with '2026-01-01'::text::date was refused to agents, and a
-- filter by importance to whoever asks for one person.

set local role quipu_owner;

create or replace function core.open_rights() returns table (granted text)
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select format('%s on table %I.%I', string_agg(distinct a.privilege_type, ', '), n.nspname, c.relname)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(c.relacl) a
    where a.grantee in (0, coalesce(to_regrole('quipu_see'), 0))
        and n.nspname in ('pg_catalog', 'information_schema')
    group by n.nspname, c.relname
    union all
    select format('%s (%I) on table %I.%I', a.privilege_type, t.attname, n.nspname, c.relname)
    from pg_attribute t
    join pg_class c on c.oid = t.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(t.attacl) a
    where a.grantee = 0 and n.nspname in ('pg_catalog', 'information_schema')
    union all
    select format('execute on %s %s', case p.prokind when 'p' then 'procedure' else 'function' end,
        p.oid::regprocedure)
    from pg_proc p
    cross join lateral (
        select case
            when p.proname in ('makeaclitem', 'acldefault', 'aclcontains', 'aclinsert', 'aclremove', 'aclitemeq',
                'hash_aclitem', 'hash_aclitem_extended') then false  -- they tell names of roles
            -- they look at tables by number
            when p.proname in ('satisfies_hash_partition', 'pg_partition_root') then false
            when p.provolatile = 'i' then true
            when p.prokind in ('a', 'w') then true
            when p.prorettype = 'trigger'::regtype or 'internal'::regtype = any(p.proargtypes::oid[]) then true
            when exists (select from pg_operator o where o.oprcode = p.oid) then true
            when exists (select from pg_cast c where c.castfunc = p.oid) then true
            when p.proname in ('nextval', 'setval', 'currval') then true  -- which ask for a right on the sequence
            -- How a type is read from text and written: a literal asks for no right on it, but a planner that
            -- guesses how many rows 'x'::text::date finds does.
            when p.proname in ('enum_in', 'enum_out') or exists (
                select from pg_type y
                where p.oid in (y.typinput, y.typoutput)
                    and y.typname not like 'reg%' and y.typname not in ('aclitem', 'pg_snapshot', 'txid_snapshot')
            ) then true
            when p.proargtypes::oid[] && array['oid', 'oidvector', 'xid', 'xid8', 'cid', 'tid', 'pg_lsn', 'cstring',
                'pg_snapshot', 'aclitem', 'aclitem[]', 'regclass', 'regproc', 'regprocedure', 'regtype', 'regrole',
                'regnamespace', 'regoper', 'regoperator', 'regcollation']::regtype[]::oid[] then false
            else p.proname = any(array[
                -- time
                'age', 'clock_timestamp', 'date_add', 'date_part', 'date_subtract', 'date_trunc', 'extract',
                'generate_series', 'make_timestamptz', 'now', 'overlaps', 'pg_sleep', 'pg_sleep_for',
                'pg_sleep_until', 'pg_timezone_abbrevs', 'pg_timezone_abbrevs_abbrevs', 'pg_timezone_abbrevs_zone',
                'pg_timezone_names', 'statement_timestamp', 'timeofday', 'timezone', 'to_char', 'to_date',
                'to_number', 'to_timestamp', 'transaction_timestamp',
                -- values
                'array_sample', 'array_shuffle', 'array_to_json', 'array_to_string', 'concat', 'concat_ws', 'convert',
                'convert_from', 'convert_to', 'enum_first', 'enum_last', 'enum_range', 'format', 'gen_random_uuid',
                'json_build_array', 'json_build_object', 'json_populate_record', 'json_populate_recordset',
                'json_strip_nulls', 'json_to_record', 'json_to_recordset', 'json_to_tsvector', 'jsonb_build_array',
                'jsonb_build_object', 'jsonb_path_exists_tz', 'jsonb_path_match_tz', 'jsonb_path_query_array_tz',
                'jsonb_path_query_first_tz', 'jsonb_path_query_tz', 'jsonb_populate_record',
                'jsonb_populate_record_valid', 'jsonb_populate_recordset', 'jsonb_strip_nulls', 'jsonb_to_record',
                'jsonb_to_recordset', 'jsonb_to_tsvector', 'length', 'pg_collation_for', 'pg_column_compression',
                'pg_column_size', 'pg_input_error_info', 'pg_input_is_valid', 'pg_typeof', 'quote_literal',
                'quote_nullable', 'random', 'random_normal', 'record_out', 'row_to_json', 'setseed', 'to_json', 'to_jsonb',
                'uuidv4', 'uuidv7', 'xml_is_well_formed',
                -- search in texts
                'get_current_ts_config', 'phraseto_tsquery', 'plainto_tsquery', 'to_tsquery', 'to_tsvector',
                'ts_headline', 'websearch_to_tsquery',
                -- oneself
                'current_database', 'current_query', 'current_schema', 'current_schemas', 'current_setting',
                'current_user', 'getdatabaseencoding', 'lastval', 'pg_backend_pid', 'pg_char_to_encoding',
                'pg_client_encoding', 'pg_current_xact_id', 'pg_encoding_to_char', 'pg_get_keywords',
                'pg_get_serial_sequence', 'pg_is_in_recovery', 'pg_trigger_depth', 'session_user', 'set_config', 'version'
                ])
        end as harmless
    ) h
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
        and d.refclassid = 'pg_extension'::regclass
    left join pg_extension e on e.oid = d.refobjid
    where exists (
            select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)
        and case
            when p.pronamespace = 'pg_catalog'::regnamespace then not h.harmless
            when p.pronamespace = 'information_schema'::regnamespace then false
            when 'internal'::regtype = any(p.proargtypes::oid[]) then false
            when e.extname = 'pgcrypto' then true
            when e.extname = 'pg_trgm' then p.proname not in ('similarity', 'similarity_op', 'similarity_dist')
            else false
        end
    $$;

reset role;
