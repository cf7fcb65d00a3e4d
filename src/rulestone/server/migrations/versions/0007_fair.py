"""Fair play: what a table's host decided, and who has lost before the end of the game."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("fair", sa.JSON))
    op.add_column("seats", sa.Column("out", sa.String(10), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("tables", "fair")
    op.drop_column("seats", "out")
