# SPDX-License-Identifier: Apache-2.0
"""libmeridian.so enters any program: it needs only libc, and no symbol that libc does not have.

check_library.py READELF NM LIBRARY
"""

import re
import subprocess
import sys

NEEDED = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
# Weak references that the compiler's start files put into every shared library.
START_FILES = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__", "__cxa_finalize"}


def main():
    readelf, nm, library = sys.argv[1:]
    wrong = []
    dynamic = subprocess.run([readelf, "-dW", library], capture_output=True, text=True, check=True).stdout
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if needed not in NEEDED:
            wrong.append(f"needs {needed}")
    if not re.search(r"\(SONAME\).*\[libmeridian\.so\]", dynamic):
        wrong.append("is not called libmeridian.so")
    for word in ("RPATH", "RUNPATH", "TEXTREL"):
        if f"({word})" in dynamic:
            wrong.append(f"has {word}")
    symbols = subprocess.run([nm, "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    for symbol in (line.split()[-1] for line in symbols.splitlines()):
        name, _, version = symbol.partition("@")
        if name not in START_FILES and not version.startswith("GLIBC_"):
            wrong.append(f"wants {symbol} from somebody else")
    print("\n".join(f"{library} {claim}" for claim in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
