"""Studies of the lab, with their results and reports."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False, index=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("made", sa.Float, nullable=False, index=True),
        sa.Column("updated", sa.Float, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("stopped", sa.Integer, nullable=False),
        sa.Column("asked", sa.JSON, nullable=False),
        sa.Column("told", sa.JSON, nullable=False),
        sa.Column("report", sa.Text),
    )


def downgrade() -> None:
    op.drop_table("studies")
