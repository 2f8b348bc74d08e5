# SPDX-License-Identifier: Apache-2.0
"""Processes that mpirun starts exchange messages through libmeridian-processes.so.

check_messages.py SUBJECT --program P --plugin L --mpiexec M --ranks N --flavor openmpi|mpich
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

GOOD = ("many", "pieces", "large", "waiting", "unread")
# Launchers that leave the rest of the job running when a process is killed, like srun without --kill-on-bad-exit.
LENIENT = {"openmpi": ["--enable-recovery"], "mpich": ["-disable-auto-cleanup"]}
ENDED = re.compile(r"process (\d+) of the merge \(pid \d+ on host \S+\) has ended")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject")
    for name in ("program", "plugin", "mpiexec", "flavor"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    options = parser.parse_args()
    check = launch.Checks()
    flags, subject = [], options.subject
    if subject == "killed_leniently":
        flags, subject = LENIENT[options.flavor], "killed"
    ran = launch.run([options.mpiexec, *flags, "-n", options.ranks, options.program, options.plugin, subject])
    if subject in GOOD:
        check.equal("exit code", ran.returncode, 0)
        done = [] if subject == "waiting" else [f"process {rank} of {options.ranks} is done" for rank in range(options.ranks)]
        check.equal("output", sorted(ran.stdout.splitlines()), done)
    else:
        check.true(f"exit code {ran.returncode} shows the failure", ran.returncode != 0)
        check.true("nothing was done", "is done" not in ran.stdout)
    if options.subject == "killed_leniently":
        named = set(ENDED.findall(ran.stderr))
        check.equal("processes whose end was noticed", named, {str(options.ranks - 1)})
    return check.finish(ran)


if __name__ == "__main__":
    sys.exit(main())
