"""What every room stands on: settings, database, embedding, and values without a home of their own."""
