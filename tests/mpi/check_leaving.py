# SPDX-License-Identifier: Apache-2.0
"""Ranks that leave without MPI_Finalize do not wait for their writers: the launcher kills those that are late.

check_leaving.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import launch

WAITS = '#!/bin/sh\nwhile [ ! -e "{go}" ]; do sleep 0.05; done\nexec "{writer}" "$@"\n'


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        work = pathlib.Path(work)
        go, folder, scratch, slow = work / "go", work / "trace", work / "scratch", work / "slow-writer"
        scratch.mkdir()
        writer = pathlib.Path(options.meridian).resolve().parent.parent / "libexec" / "meridian" / "meridian-writer"
        slow.write_text(WAITS.format(go=go, writer=writer))
        slow.chmod(0o755)
        try:
            traced = tracing.launch_in(
                work, [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program, "exit"],
                MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, MERIDIAN_WRITER=slow, MERIDIAN_FINALIZE_TIMEOUT="1h",
            )  # fmt: skip
            check.true(f"the program ended while its writers waited: {traced.stderr}", "ended after" not in traced.stderr)
            check.equal("rank files at the end of the program", list(folder.glob("*.h5")), [])
        finally:
            go.touch()
        tracing.wait_for_writers(scratch, folder, options.ranks)
        check.equal("rank files", len(list(folder.glob("rank-*.h5"))), options.ranks)
        merged, summary = launch.merge(options.meridian, folder)
        findings = {finding["name"] for finding in summary["findings"]} if summary else None
        # The launcher kills the other ranks once one has left, wherever they are.
        check.equal("findings", findings and findings - {"call.unfinished"}, {"rank.unfinished"})
        return check.finish(traced, merged)


if __name__ == "__main__":
    sys.exit(main())
