"""The one way to PostgreSQL: connections, transactions within a space, migrations, named queries."""
