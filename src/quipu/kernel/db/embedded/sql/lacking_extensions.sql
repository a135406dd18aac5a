-- Those of the wanted extensions that the server cannot create.
select wanted.name
  from unnest(%(names)s::text[]) with ordinality as wanted (name, place)
 where not exists (select from pg_available_extensions as available where available.name = wanted.name)
 order by wanted.place;
