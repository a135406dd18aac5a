-- Whether the database of the product is there.
select exists (select from pg_database where datname = 'quipu');
