# SPDX-License-Identifier: Apache-2.0
"""The writer of a rank that is bound to one core may use all cores of the job, and has the priority of the program.

check_cores.py --meridian M --mpiexec X --ranks N program argument...
"""

import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

SKIPPED = 77
SEEN = """import os, sys
with open(os.environ["SEEN"] + "." + str(os.getpid()), "w") as file:
    print(*sorted(os.sched_getaffinity(0)), os.nice(0), file=file)
os.execv(os.environ["REAL_WRITER"], [os.environ["REAL_WRITER"], *sys.argv[1:]])
"""


def main():
    parser = launch.parser()
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("skipped: there is only one core")
        return SKIPPED
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-cores-") as work:
        writer = pathlib.Path(work, "writer")
        writer.write_text(f"#!{sys.executable}\n{SEEN}")
        writer.chmod(0o700)
        os.sched_setaffinity(0, {cores[0]})  # as a launcher binds a rank
        process = launch.traced(
            options.mpiexec, options.ranks, options.meridian, options.command, pathlib.Path(work, "trace"), pathlib.Path(work, "scratch"),
            MERIDIAN_WRITER=writer, SEEN=pathlib.Path(work, "seen"),
            REAL_WRITER=pathlib.Path(options.meridian).resolve().parents[1] / "libexec/meridian/meridian-writer",
        )  # fmt: skip
        os.sched_setaffinity(0, cores)
        check.equal("exit code", process.returncode, 0)
        seen = [path.read_text().split() for path in sorted(pathlib.Path(work).glob("seen.*"))]
        check.equal("cores and nice value of the writers", seen, [[*map(str, cores), str(os.nice(0))]] * options.ranks)
        check.equal("rank files", len(list(pathlib.Path(work, "trace").glob("rank-*.h5"))), options.ranks)
        return check.finish(process)


if __name__ == "__main__":
    sys.exit(main())
