"""Running Postgres when the supervisor is root: Postgres refuses root, and `nobody` cannot reach every folder."""

import os
import shutil
import stat
import tempfile
from pathlib import Path

NOBODY = 65534

#: Where root keeps what nobody must reach when the given folder lies below a closed one such as /root.
_ROOT_CACHE = Path("/var/cache/memstream")
_ROOT_DATA = Path("/var/lib/memstream")


def identity() -> int | None:
    """Numeric user and group for Postgres: nobody for root, None (as yourself) for anyone else."""
    return NOBODY if os.geteuid() == 0 else None


def reachable(path: Path) -> bool:
    """Whether nobody may pass through every existing folder on the way to `path`."""
    for folder in (path, *path.parents):
        if folder.exists():
            status = folder.stat()
            needed = stat.S_IXUSR if status.st_uid == NOBODY else stat.S_IXOTH
            if not status.st_mode & needed:
                return False
    return True


def reachable_binaries(package: Path, folders: tuple[str, ...], label: str) -> Path:
    """A folder holding `folders` of `package`'s parent that nobody can run from: as installed, or a copy made once."""
    if all(reachable(package / folder) and _open_to_all(package / folder) for folder in folders):
        return package
    target = _ROOT_CACHE / label
    if not target.is_dir():
        _ROOT_CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_ROOT_CACHE) as work:
            copy = Path(work, "copy")
            for folder in folders:
                shutil.copytree(package / folder, copy / folder, symlinks=True)
            for item in (copy, *copy.rglob("*")):
                if not item.is_symlink():
                    item.chmod(item.stat().st_mode | (0o755 if item.is_dir() or item.stat().st_mode & 0o100 else 0o644))
            try:
                copy.rename(target)
            except OSError:
                if not target.is_dir():  # another start made the same copy first
                    raise
    return target


def _open_to_all(folder: Path) -> bool:
    """Whether everybody may read what is in `folder` (an install under a strict umask is not)."""
    return all(item.stat().st_mode & stat.S_IROTH for item in folder.rglob("*") if not item.is_symlink())


def private_folder(path: Path) -> Path:
    """A 0700 folder of our own: it holds people's words, whatever the umask."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def own_folder(path: Path, label: str, owner: int | None) -> Path:
    """A 0700 folder at `path` for `owner`; below a closed folder it becomes a link to one under /var/lib/memstream.

    `label` must be unique to the data folder, so that a new data folder never finds an old one's tables.
    """
    if owner is not None and not path.exists() and not reachable(path.parent):
        target = _ROOT_DATA / label
        target.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # a link whose target is gone
        path.symlink_to(target)
    path.mkdir(mode=0o700, exist_ok=True)
    if owner is not None and path.stat().st_uid != owner:
        for item in (path, *path.rglob("*")):
            os.chown(item, owner, owner, follow_symlinks=item == path)
    path.chmod(0o700)
    return path.resolve()
