# SPDX-License-Identifier: Apache-2.0
"""Rings of ranks that are killed in MPI_Init, before they have a writer: the next start and `meridian clean` remove them. Its
writer removes the ring of a rank whose MPI_Init fails. So it is with programs that call MPI before.

check_left_rings.py --meridian M --mpiexec X --ranks N program ASKING

    ASKING   a program that calls MPI before MPI_Init
"""

import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

# In the place of the writer; the ring's name has the pid of the rank.
KILLS = '#!/bin/sh\nname=$(basename "$1" .ring); name=${name%-*-*}\nkill -9 "${name##*-}"\n'

# MPI_Init of Open MPI finds no way to send, that of MPICH no launcher.
CANNOT_START = {"OMPI_MCA_pml": "nothing", "PMI_FD": 99, "PMI_RANK": 0, "PMI_SIZE": 2}


def main():
    parser = launch.parser()
    parser.add_argument("program")
    parser.add_argument("asking")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-left-") as work:
        work = pathlib.Path(work)
        scratch, killer = work / "scratch", work / "killer"
        scratch.mkdir()
        killer.write_text(KILLS)
        killer.chmod(0o755)

        def run(*launcher, program=options.program, **settings):
            words = [*launcher, options.meridian, "run", program, 1000, work / "half"]
            return launch.run(words, MERIDIAN_SCRATCH=scratch, **settings)

        def wait_until_there_is_no_ring(what):
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline and list(scratch.rglob("*.ring")):
                time.sleep(0.05)
            check.equal(what, list(scratch.rglob("*.ring")), [])

        def leave_a_ring(name, program=options.program):
            """Without a launcher, because launchers treat a process that is killed this early differently."""
            check.equal("the program is killed", run(program=program, MERIDIAN_WRITER=killer, MERIDIAN_DIR=work / name).returncode, -9)
            check.equal("rings of killed processes", len(list(scratch.rglob("*.ring"))), 1)
            check.true("no trace", not (work / name).exists())

        def clean(*words):
            return launch.run([options.meridian, "clean", *words], MERIDIAN_SCRATCH=scratch, TMPDIR=scratch).stdout.splitlines()

        for what, program in (("", options.program), (" that asks first", options.asking)):
            leave_a_ring(f"started{what}", program)
            check.equal(f"a whole run{what}", run(options.mpiexec, "-n", options.ranks, MERIDIAN_DIR=work / f"whole{what}").returncode, 4)
            wait_until_there_is_no_ring(f"rings after the next start{what}")

            failed = run(program=program, MERIDIAN_DIR=work / "failed", **CANNOT_START)
            check.true(f"MPI_Init fails{what}: {failed.returncode}", failed.returncode != 0)
            wait_until_there_is_no_ring(f"rings of a failed program{what}")

        leave_a_ring("first", options.asking)
        line = clean("--dry-run")[0]
        check.true(f"a rehearsal: {line}", line.startswith("would remove 1 ring (") and line.endswith(") that ended programs left"))
        check.equal("rings after a rehearsal", len(list(scratch.rglob("*.ring"))), 1)
        said = clean()
        check.true(f"cleaning: {said}", said[0].startswith("removed 1 ring ("))
        check.equal("rings after cleaning", list(scratch.rglob("*.ring")), [])
        return check.finish()


if __name__ == "__main__":
    sys.exit(main())
