"""Tables, seats, moves, chat, settings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("settings", sa.Column("name", sa.String(40), primary_key=True), sa.Column("value", sa.Text, nullable=False))
    op.create_table(
        "tables",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("laid", sa.Text),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("host", sa.String(64), nullable=False, index=True),
        sa.Column("listed", sa.Integer, nullable=False),
        sa.Column("spectators", sa.Integer, nullable=False),
        sa.Column("clock", sa.JSON, nullable=False),
        sa.Column("status", sa.String(10), nullable=False, index=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("updated", sa.Float, nullable=False, index=True),
        sa.Column("rematch", sa.String(24)),
    )
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("guest", sa.String(64), index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("stand_in", sa.Integer, nullable=False),
    )
    op.create_table(
        "moves",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("ply", sa.Integer, primary_key=True),
        sa.Column("action", sa.Integer, nullable=False),
        sa.Column("spent", sa.Integer, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("key", sa.String(40), nullable=False),
    )
    op.create_table(
        "chat",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), nullable=False, index=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
    )


def downgrade() -> None:
    for name in ("chat", "moves", "seats", "tables", "settings"):
        op.drop_table(name)
