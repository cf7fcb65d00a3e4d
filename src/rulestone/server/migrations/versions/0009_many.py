"""Several servers on one database: undone decisions that only their player knew, requests of players, and keys of chat lines."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("taken_out", sa.JSON))
    op.add_column("tables", sa.Column("wishes", sa.Text))
    op.add_column("chat", sa.Column("key", sa.String(40)))
    op.create_index("said_once", "chat", ["table_id", "guest", "key"], unique=True)


def downgrade() -> None:
    op.drop_index("said_once", "chat")
    op.drop_column("chat", "key")
    for name in ("wishes", "taken_out"):
        op.drop_column("tables", name)
