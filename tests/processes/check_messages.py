# SPDX-License-Identifier: Apache-2.0
"""Processes that mpirun starts exchange messages through libmeridian-processes.so.

check_messages.py SUBJECT --program P --plugin L --mpiexec M --ranks N --flavor openmpi|mpich
"""

import argparse
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "batch")]
import launch  # noqa: E402
import slurm as batch  # noqa: E402

GOOD = ("many", "pieces", "large", "waiting")
SLURM_MPI = {"openmpi": "pmix", "mpich": "pmi2"}
ENDED = re.compile(r"process (\d+) of the merge \(pid \d+ on host \S+\) has ended")
SKIPPED = 77


def killed_in_slurm(options, check):
    """srun leaves the rest of a step running when a task is killed."""
    with batch.Slurm() as slurm:
        ran = slurm.run("srun", "--kill-on-bad-exit=0", f"--ntasks={options.ranks}", f"--mpi={SLURM_MPI[options.flavor]}",
                        options.program, options.plugin, "killed")
    check.true(f"'{options.ranks - 1}' is a process whose end was noticed", str(options.ranks - 1) in ENDED.findall(ran.stderr))
    return ran


def in_mpirun(options, check):
    ran = launch.mpirun(options.mpiexec, options.ranks, [options.program, options.plugin, options.subject])
    if options.subject in GOOD:
        check.equal("exit code", ran.returncode, 0)
        done = [] if options.subject == "waiting" else [f"process {rank} of {options.ranks} is done" for rank in range(options.ranks)]
        check.equal("output", sorted(ran.stdout.splitlines()), done)
    return ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject")
    for name in ("program", "plugin", "mpiexec", "flavor"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    options = parser.parse_args()
    check = launch.Checks()
    try:
        ran = killed_in_slurm(options, check) if options.subject == "killed_in_slurm" else in_mpirun(options, check)
    except batch.Unavailable as reason:
        print(f"no Slurm: {reason}")
        return SKIPPED
    if options.subject not in GOOD:
        check.true(f"exit code {ran.returncode} shows the failure", ran.returncode != 0)
        check.true("nothing was done", "is done" not in ran.stdout)
    return check.finish(ran)


if __name__ == "__main__":
    sys.exit(main())
