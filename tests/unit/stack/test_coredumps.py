"""What crashes leaves no memory on the disk (C7)."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import PATIENCE

_RUN = """
import resource, sys
from memstream.cli.app import main
most = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (min(most, 4096) if most >= 0 else 4096, most))
sys.argv = ["memstream", "--help"]
try:
    main()
finally:
    print("core", resource.getrlimit(resource.RLIMIT_CORE)[0])
"""


def test_c7_no_process_of_ours_leaves_a_core_file() -> None:
    done = subprocess.run([sys.executable, "-c", _RUN], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.splitlines()[-1] == "core 0", done.stderr
