"""Who made a move where several players decide at the same time."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("moves", sa.Column("player", sa.Integer))


def downgrade() -> None:
    op.drop_column("moves", "player")
