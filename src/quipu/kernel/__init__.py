"""Foundation of every package: settings, database, embedding, and values without a home of their own."""
