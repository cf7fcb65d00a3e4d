"""The memory aid of a table whose game is played from memory."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("aid", sa.String(4)))


def downgrade() -> None:
    op.drop_column("tables", "aid")
