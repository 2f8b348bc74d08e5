# SPDX-License-Identifier: Apache-2.0
"""A program that can create no more processes and threads (`ulimit -u`) ends as it does untraced, and its trace is complete.

check_processes.py --meridian M --mpiexec X --ranks N program

The limit holds for a user's processes, and not for root's: when run as root, the test starts the program as another user. Exits with 77 where
that user cannot run programs here. check_meddle.py does the same to the tracer before there is a writer.
"""

import os
import pathlib
import sys
import tempfile

import check_room
from check_kills import launch

SKIPPED = 77
NOBODY = 65534
THREADS = 4


class Limited(check_room.Room):
    """As root: the program runs as another user."""

    def __init__(self, options, work):
        super().__init__(options, work)
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            self.work.chmod(0o777)

    def start(self, words, tracer, **settings):
        before = os.umask(0)
        try:
            return super().start(words, tracer, HOME=self.work, TMPDIR=self.work, **settings)
        finally:
            os.umask(before)


def check(room):
    words = ("fitting", THREADS)
    free = room.untraced(*words)
    if free[0] != 4:
        print(f"skipped: MPI programs, or this build, do not run as another user here: {free}")
        sys.exit(SKIPPED)
    everybody = room.options.ranks
    room.check.equal("ranks with threads", sum(f": {THREADS} threads of {THREADS}" in line for line in free[1]), everybody)
    untraced = room.untraced(*words, NPROC=1)
    room.check.equal("ranks without threads", sum(f": 0 threads of {THREADS}" in line for line in untraced[1]), everybody)
    room.same(*words, untraced=untraced, NPROC=1)
    room.check.equal("words of ours", room.said, [])
    room.check.equal("lost calls", set(room.check_counts(room.files()).values()), {0})
    room.check.equal("findings", room.merge(), {})


def main():
    parser = launch.parser()
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-processes-") as work:
        room = Limited(options, pathlib.Path(work))
        check(room)
        return room.check.finish(*([room.merged] if room.merged else []))


if __name__ == "__main__":
    sys.exit(main())
