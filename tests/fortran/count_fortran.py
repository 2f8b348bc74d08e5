# SPDX-License-Identifier: Apache-2.0
"""Makes a library that counts the MPI calls of a Fortran program independently of Meridian: each MPI procedure that the
program imports gets an entry of two instructions, which count the call and jump to the procedure. x86-64 and System V only.

For each process, COUNT_FORTRAN_DIR/<rank> holds a line "name count" per procedure when the process ends."""

import re
import subprocess
import sys

C = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
extern unsigned long counts[];
extern void* nexts[];
static const char* const names[] = {%s};
enum { kNames = sizeof names / sizeof *names };
__attribute__((constructor)) static void find(void) {
  for (int i = 0; i < kNames; ++i) nexts[i] = dlsym(RTLD_NEXT, names[i]);
}
__attribute__((destructor)) static void write_counts(void) {
  const char* folder = getenv("COUNT_FORTRAN_DIR");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  char path[4096];
  if (folder == NULL || rank == NULL) return;
  snprintf(path, sizeof path, "%%s/%%s", folder, rank);
  FILE* file = fopen(path, "w");
  for (int i = 0; file != NULL && i < kNames; ++i) fprintf(file, "%%s %%lu\\n", names[i], counts[i]);
  if (file != NULL) fclose(file);
}
__asm__(".local counts\\n.comm counts,%d,16\\n.local nexts\\n.comm nexts,%d,16\\n");
"""
ENTRY = r'__asm__(".text\n.globl {0}\n.type {0},@function\n{0}: lock incq counts+{1}(%rip)\n jmp *nexts+{1}(%rip)\n");'


def imported(objects):
    """Fortran's MPI procedures, and MPI_* in C (some of mpi_f08's), that the objects want from elsewhere."""
    names = set()
    for path in objects:
        listed = subprocess.run(["nm", "-D", "--undefined-only", path], capture_output=True, text=True, check=True)
        found = (line.split()[-1].split("@")[0] for line in listed.stdout.splitlines())
        names |= {name for name in found if re.fullmatch(r"mpi_(?!fortran_).*_|MPI_[A-Z][a-z_]+", name)}
    return sorted(names)


def procedure(name):
    """mpi_send_, mpi_send_f08_, mpi_send_f08ts_ -> MPI_Send"""
    plain = re.sub(r"_f08(ts)?_?$", "", name.rstrip("_"))
    return "MPI_" + plain[4:].removesuffix("_cptr").capitalize()


def build(compiler, objects, library):
    names = imported(objects)
    text = C % (", ".join(f'"{name}"' for name in names), 8 * len(names), 8 * len(names))
    text += "\n".join(ENTRY.format(name, 8 * i) for i, name in enumerate(names))
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library, "-ldl"], input=text, text=True, check=True
    )


if __name__ == "__main__":
    build(sys.argv[1], sys.argv[3:], sys.argv[2])
