-- These rows are many and ours alone: row level security admits only those of the space that the
-- transaction has entered, which nobody removes meanwhile. A look at core.spaces for each of them cost a
-- fifth of every import, and locked that one row for every writer.

set local role quipu_owner;

alter table core.recall_postings drop constraint recall_postings_space_id_fkey;
alter table core.recall_terms drop constraint recall_terms_space_id_fkey;
alter table core.recall_vectors
    drop constraint recall_vectors_space_id_fkey,
    drop constraint recall_vectors_generation_fkey;

reset role;
