# SPDX-License-Identifier: Apache-2.0
"""libmeridian.so for the standard ABI wraps each procedure that the MPI Forum lists for C, and each large-count form.

check_exports.py --nm NM --library LIBRARY --procedures LIST
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Types of functions that the program hands over, predefined functions that are passed on, and what only Fortran has.
NOT_CALLED = re.compile(r"_function$|_FN$|_FN_NULL$|_cb_function$|^MPI_(F_sync_reg|Sizeof)$")


def procedures(text):
    """Names of C functions; a line `NAME +c` says that NAME_c exists, too."""
    names = set()
    for line in text.splitlines():
        name, *large = line.split()
        if name == "#" or line.startswith("#") or NOT_CALLED.search(name):
            continue
        names |= {name, f"{name}_c"} if large == ["+c"] else {name}
    return names


def main():
    options = argparse.ArgumentParser()
    for word in ("nm", "library", "procedures"):
        options.add_argument(f"--{word}", required=True)
    options = options.parse_args()
    listed = procedures(pathlib.Path(options.procedures).read_text(encoding="utf-8"))
    assert len(listed) > 650, len(listed)
    table = subprocess.run([options.nm, "-D", "--defined-only", options.library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in table.splitlines()}
    missing = sorted(listed - exported)
    print(f"{len(listed)} procedures, missing: {missing}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
