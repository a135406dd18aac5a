-- Until now the one serving generation held for every space.

set local role quipu_owner;

do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update core.spaces set generation = (select id from core.recall_generations where state = 'serving')
        where name = known;
    end loop;
end
$$;

alter table core.spaces add foreign key (generation) references core.recall_generations (id);

comment on column core.recall_generations.state is
    'building: its vectors are being made; serving: new spaces begin with it; retired: spaces leave it.';
comment on column core.recall_entries.bits is 'Signs of the context vector of the generation of the space, one bit a dimension.';

reset role;
