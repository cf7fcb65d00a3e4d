"""Alembic's entry point: migrations run on the connection passed by the server (see storage.py)."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
