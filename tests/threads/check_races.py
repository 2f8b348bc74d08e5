# SPDX-License-Identifier: Apache-2.0
"""A correct program whose threads share channels and make communicators at once: every message is matched, with the size
that was received, on one clock and without any finding but the hint that pairs are ambiguous.

check_races.py --meridian M --tracer L --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "mpi"), str(HERE.parent / "mpi/counter")]
import launch  # noqa: E402
import tracing  # noqa: E402


def main():
    parser = launch.parser("tracer")
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-races-") as work:
        folder, scratch = pathlib.Path(work) / "trace", pathlib.Path(work) / "scratch"
        scratch.mkdir()
        traced = tracing.launch_in(
            None, [options.mpiexec, "-n", options.ranks, options.meridian, "run", "/usr/bin/env",
                   f"LD_PRELOAD={options.tracer}", options.program], None,
            MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch,
        )  # fmt: skip
        tracing.wait_for_writers(scratch, folder, options.ranks)
        received = sum(int(line.split()[-1]) for line in traced.stdout.splitlines() if " received " in line)
        check.equal("exit code traced", traced.returncode, 0)
        merged, summary = launch.merge(options.meridian, folder)
        check.equal("exit code of merge", merged.returncode, 0)
        if summary is not None:
            messages = summary["messages"]
            counts = [messages[name] for name in ("matched", "unmatched_sends", "unmatched_receives")]
            check.equal("messages matched, sends and receives that are not", counts, [received, 0, 0])
            findings = [finding["name"] for finding in summary["findings"] if finding["name"] != "message.ambiguous"]
            check.equal("findings", findings, [])
        return check.finish(traced, merged)


if __name__ == "__main__":
    sys.exit(main())
