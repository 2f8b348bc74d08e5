# SPDX-License-Identifier: Apache-2.0
"""`import` in a build without libotf2.

check_without.py --meridian M
"""

import argparse
import pathlib
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
options = parser.parse_args()
with tempfile.TemporaryDirectory() as work:
    output = pathlib.Path(work) / "trace"
    done = subprocess.run([options.meridian, "import", "traces.otf2", "-o", output], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "" and not output.exists(), done
    assert done.stderr == (
        "meridian: this build of meridian has no OTF2\nhint: install libotf2 (Debian: libotf2-trace-dev) and build again\n"
    ), done.stderr
