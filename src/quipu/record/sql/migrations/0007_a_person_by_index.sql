-- Who acts for one person reads their entries by index. The policies hold what they held: but as EXISTS could be
-- turned into a hash of all that may be seen, each scan of postings or vectors under them read every entry of the
-- space first. With OFFSET 0 the entry of each row is looked up by its key, and these rows are few.

set local role quipu_owner;

create index recall_entries_owner on core.recall_entries (space_id, owner) where owner > 0;

alter policy person on core.recall_postings
    using (exists (select from core.recall_entries e
        where e.space_id = recall_postings.space_id and e.id = recall_postings.entry_id offset 0));
alter policy person on core.recall_vectors
    using (exists (select from core.recall_entries e
            where e.space_id = recall_vectors.space_id and e.id = recall_vectors.entry_id offset 0)
        or not core.is_filed(entry_id));

reset role;
