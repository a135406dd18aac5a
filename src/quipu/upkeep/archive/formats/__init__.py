"""Other formats that an archive is written in: made of its records, without what they have no place for."""
