# SPDX-License-Identifier: Apache-2.0
"""A program that was linked with the tracer but not with MPI ends at MPI_Init, and says why.

check_unlinked.py program
"""

import subprocess
import sys

SAID = "meridian: there is no MPI library in this process: link the program with MPI, too, behind -Wl,--no-as-needed\n"


def main():
    done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    seen = (done.returncode, done.stdout, done.stderr)
    if seen == (1, "", SAID):
        return 0
    print(f"exit code, output and errors: {seen}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
