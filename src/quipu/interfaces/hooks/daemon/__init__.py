"""A process that stays for a while and answers hooks quickly: one for each home, started on demand."""
