-- NaN is no rating, weight or score: a piece of evidence had "nan stars".

set local role quipu_owner;

alter table ledger.chat_recommendations add constraint figures_are_numbers check (impact_score <> 'NaN') not valid;
alter table ledger.chat_recommendation_evidence add constraint figures_are_numbers check (
    review_rating <> 'NaN' and evidence_weight <> 'NaN') not valid;

reset role;
