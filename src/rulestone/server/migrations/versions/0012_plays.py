"""Which rules a table is played by: a hash of what plays, besides the version."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tables", sa.Column("plays", sa.String(16)))


def downgrade() -> None:
    op.drop_column("tables", "plays")
