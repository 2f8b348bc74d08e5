# SPDX-License-Identifier: Apache-2.0
"""Writes a C file with one trampoline for each MPI function that an MPI library exports, C and Fortran.

generate_trampolines.py MPICC OUTPUT

The functions are those of the library's own symbol table: nothing here comes from Meridian's call table. A trampoline
passes count_calls.c its number and the address it was called from, and jumps on to the next definition with every
register as it was: it needs no prototype, so it cannot be wrong about one. A Fortran entry (mpi_send_, mpi_send_f08_)
has the number of its C function, so that both are counted as one.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

C_NAME = re.compile(r"MPI_[A-Z]\w*")
FORTRAN_NAME = re.compile(r"(mpi_[a-z]\w*?)(_f08)?_")


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def functions_of(library):
    """Names of the functions that a shared object exports."""
    rows = (line.split() for line in output_of("nm", "-D", "--defined-only", library).splitlines())
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TWi"}


def mpi_library(mpicc):
    """The shared object that programs of this compiler wrapper find MPI_Init in."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "p.c"), pathlib.Path(folder, "p")
        source.write_text("int MPI_Init(int*, char***);\nint main(void) { return MPI_Init(0, 0); }\n")
        for path in output_of(mpicc, source, "-o", program, "-Wl,--trace").splitlines():
            if re.search(r"[.]so([.]\d+)*$", path) and "MPI_Init" in functions_of(path):
                return pathlib.Path(path)
    sys.exit(f"{mpicc}: no shared library with MPI_Init; the counter needs one")


def entries(library):
    """(names by number, {symbol: number}) of all C functions and those Fortran entries that stand for one."""
    names = sorted(name for name in functions_of(library) if C_NAME.fullmatch(name))
    numbers = {name.lower(): number for number, name in enumerate(names)}
    symbols = {name: number for number, name in enumerate(names)}
    for pattern in ("libmpi_mpifh.so.*", "libmpi_usempif08.so.*", "libmpichfort.so.*"):
        for fortran in library.resolve().parent.glob(pattern):
            for symbol in functions_of(fortran):
                match = FORTRAN_NAME.fullmatch(symbol)
                if match and match[1] in numbers:
                    symbols[symbol] = numbers[match[1]]
    return names, symbols


def main():
    mpicc, output = sys.argv[1:]
    names, symbols = entries(mpi_library(mpicc))
    lines = ["// Written by generate_trampolines.py.", '#include "count_calls.h"', "const char* const counter_names[] = {"]
    lines += [f'  "{name}",' for name in names]
    lines += ["};", f"const unsigned counter_name_count = {len(names)};", "struct CounterEntry counter_entries[] = {"]
    lines += [f'  {{"{symbol}", {number}, 0}},' for symbol, number in symbols.items()]
    lines += ["};", "__asm__(", '  ".text\\n"']
    for position, symbol in enumerate(symbols):
        lines.append(
            f'  ".globl {symbol}\\n.type {symbol},%function\\n{symbol}:\\n" '
            f'COUNTER_ENTER("{position}") ".size {symbol},.-{symbol}\\n"'
        )
    lines.append(");")
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
