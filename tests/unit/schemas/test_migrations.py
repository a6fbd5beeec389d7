"""Which version a database is brought to."""

from __future__ import annotations

from alembic.config import Config
from alembic.script import ScriptDirectory

from schemas import migrations


def test_the_newest_version_is_alembics_head() -> None:
    """A process that finds it applied goes without Alembic."""
    config = Config()
    config.set_main_option("script_location", str(next(iter(migrations.__path__))).replace("%", "%%"))
    assert migrations.newest() == ScriptDirectory.from_config(config).get_current_head()
