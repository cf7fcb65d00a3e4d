"""Dice nobody can steer: a table's stages, players' pledges and values, and which bot made a move."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("stage", sa.Integer))
    op.add_column("tables", sa.Column("dice", sa.JSON))
    op.add_column("seats", sa.Column("pledge", sa.String(64), nullable=False, server_default=""))
    op.add_column("seats", sa.Column("value", sa.String(64), nullable=False, server_default=""))
    op.add_column("moves", sa.Column("bot", sa.String(40), nullable=False, server_default=""))


def downgrade() -> None:
    for table, name in (("moves", "bot"), ("seats", "value"), ("seats", "pledge"), ("tables", "dice"), ("tables", "stage")):
        op.drop_column(table, name)
