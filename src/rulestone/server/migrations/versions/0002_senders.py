"""Who sent a move, and for which position. A key belongs to its sender and stands for one move."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("moves", sa.Column("guest", sa.String(64), nullable=False, server_default=""))
    op.add_column("moves", sa.Column("at", sa.String(24), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("moves") as moves:
        moves.drop_column("at")
        moves.drop_column("guest")
