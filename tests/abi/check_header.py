# SPDX-License-Identifier: Apache-2.0
"""pmpi/abi/mpi.h has the sizes, the members' places and the values of the mpi.h that an MPI library installs for the standard ABI.

check_header.py --compiler CC --ours FOLDER --theirs FOLDER
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = ["MPI_Aint", "MPI_Offset", "MPI_Count", "MPI_Status", "MPI_Comm", "MPI_Datatype", "MPI_Request"]
MEMBERS = ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR"]


def constants(header):
    """Names that the header defines: macros with a value, and enumerators."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    macros = re.findall(r"^#define (MPI_[A-Z_0-9]+) ", text, re.MULTILINE)
    enumerators = re.findall(r"\b(MPI_[A-Z][A-Z_0-9]+) = ", text)
    return sorted(set(macros + enumerators))


def printed(compiler, folder, names, work):
    source = work / "values.c"
    lines = [f'  printf("sizeof {name} %zu\\n", sizeof({name}));' for name in TYPES]
    lines += [f'  printf("offsetof {name} %zu\\n", offsetof(MPI_Status, {name}));' for name in MEMBERS]
    lines += [f'  printf("{name} %lld\\n", (long long)(intptr_t){name});' for name in names]
    source.write_text("#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n")
    subprocess.run([compiler, "-w", f"-I{folder}", "-o", work / "values", source], check=True)
    return subprocess.run([work / "values"], capture_output=True, text=True, check=True).stdout.splitlines()


def main():
    options = argparse.ArgumentParser()
    for word in ("compiler", "ours", "theirs"):
        options.add_argument(f"--{word}", required=True)
    options = options.parse_args()
    names = constants(pathlib.Path(options.ours, "mpi.h").read_text(encoding="utf-8"))
    assert len(names) > 80, names
    with tempfile.TemporaryDirectory(prefix="meridian-header-") as work:
        ours = printed(options.compiler, options.ours, names, pathlib.Path(work))
        theirs = printed(options.compiler, options.theirs, names, pathlib.Path(work))
    different = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
    print(f"{len(ours)} values, different (ours, theirs): {different}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
