"""Series of games; chat that keeps spectators apart, who said a line, and who was removed from a table."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("series", sa.String(24)))
    op.add_column("tables", sa.Column("number", sa.Integer))
    op.add_column("tables", sa.Column("terms", sa.JSON))
    op.add_column("tables", sa.Column("points", sa.JSON))
    op.add_column("tables", sa.Column("hushed", sa.Integer, nullable=False, server_default="0"))
    op.create_index("one_game_of_a_series", "tables", ["series", "number"], unique=True)
    op.add_column("chat", sa.Column("guest", sa.String(64), nullable=False, server_default=""))
    op.add_column("chat", sa.Column("apart", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "removed",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("guest", sa.String(64), primary_key=True),
    )


def downgrade() -> None:
    op.drop_table("removed")
    op.drop_index("one_game_of_a_series", "tables")
    for table, names in (("chat", ("apart", "guest")), ("tables", ("hushed", "points", "terms", "number", "series"))):
        for name in names:
            op.drop_column(table, name)
