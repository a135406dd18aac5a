-- What a recommendation says of its evidence is counted by the database, so that it cannot be wrong.

set local role quipu_owner;

-- Evidence belongs to the session of its recommendation.
alter table ledger.chat_recommendations add unique (space_id, id, session_id);
alter table ledger.chat_recommendation_evidence
    add foreign key (space_id, recommendation_id, session_id)
        references ledger.chat_recommendations (space_id, id, session_id) on delete cascade;

comment on column ledger.chat_recommendations.review_backed is
    'Whether a review is among its evidence. Counted by the database, whatever is inserted.';
comment on column ledger.chat_recommendations.evidence_count is
    'How many pieces of evidence it has. Counted by the database, whatever is inserted.';
comment on column ledger.chat_recommendations.recency_window_days is
    'The fewest days before the recommendation that hold all its reviews; null without any. Counted by the database.';

-- Nobody writes the three columns but the function below.
revoke update on ledger.chat_recommendations from quipu_app;
grant update (message_id, turn_index, location_label, action, time_window, confidence, source_name,
    source_freshness_seconds, rule_version, impact_score, explanation_json, meta)
    on ledger.chat_recommendations to quipu_app;

create function ledger.begin_without_evidence() returns trigger
    language plpgsql
    as $$
begin
    new.review_backed := false;
    new.evidence_count := 0;
    new.recency_window_days := null;
    return new;
end
$$;
create trigger begin_without_evidence before insert on ledger.chat_recommendations
    for each row execute function ledger.begin_without_evidence();

-- Recommendations are locked in the order of their ids: two that add evidence to the same wait for each other.
create function ledger.count_evidence(recommendations bigint[]) returns void
    language sql volatile security definer set search_path = ''
    as $$
    select from ledger.chat_recommendations
    where space_id = core.current_space() and id = any(recommendations)
    order by id for no key update;
    update ledger.chat_recommendations r set (review_backed, evidence_count, recency_window_days) = (
        select oldest_at is not null, pieces,
               case when oldest_at is not null
                   then least(32767, ceil(greatest(0, extract(epoch from r.created_at - oldest_at)) / 86400)) end
        from (
            select count(*) as pieces, min(review_publish_at) filter (where source_name = 'reviews') as oldest_at
            from ledger.chat_recommendation_evidence
            where space_id = r.space_id and recommendation_id = r.id
        ) e
    )
    where r.space_id = core.current_space() and r.id = any(recommendations)
    $$;
revoke execute on function ledger.count_evidence(bigint[]) from public;

create function ledger.evidence_changed() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.count_evidence(array(select distinct recommendation_id from changed));
    return null;
end
$$;
create function ledger.evidence_moved() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.count_evidence(array(
        select recommendation_id from before union select recommendation_id from after));
    return null;
end
$$;
create trigger evidence_added after insert on ledger.chat_recommendation_evidence
    referencing new table as changed for each statement execute function ledger.evidence_changed();
create trigger evidence_taken after delete on ledger.chat_recommendation_evidence
    referencing old table as changed for each statement execute function ledger.evidence_changed();
create trigger evidence_moved after update on ledger.chat_recommendation_evidence
    referencing old table as before new table as after for each statement execute function ledger.evidence_moved();

reset role;
