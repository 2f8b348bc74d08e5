# SPDX-License-Identifier: Apache-2.0
"""A host is gone in the middle of a run, with its processes and its memory: what had reached the trace's directory can be merged.

check_lost_host.py --meridian M --mpiexec X --ranks N [--spool SIZE] program
"""

import json
import sys
import tempfile
import time

import check_kills
from check_kills import launch

PATIENCE_S = 60


def heads(run):
    return {path: path.stat().st_mtime_ns for path in run.trace.glob("rank-*.head")}


def main():
    options = launch.parser()
    options.add_argument("--spool", help="MERIDIAN_SPOOL")
    options.add_argument("program")
    options = options.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-lost-") as work:
        run = check_kills.Run(options, "run", launch.generator(), work, pause_us=500)
        run.wait_until(run.all_in_their_loops)
        before = run.counts()
        seen = heads(run)
        deadline = time.monotonic() + PATIENCE_S  # until each rank has a copy that is younger than `before`
        while time.monotonic() < deadline and not (len(heads(run)) == options.ranks and all(heads(run)[path] != seen.get(path) for path in heads(run))):
            time.sleep(0.05)
        for pid, _ in check_kills.processes(run.work):
            check_kills.kill(pid)
        run.settle()
        after = run.counts()
        for path in sorted(run.scratch.rglob("*")):
            if path.is_file():
                path.unlink()
        for note in run.trace.glob("rank-*.ring"):
            note.write_text("a-host-that-is-gone\n" + note.read_text().split("\n", 1)[1])

        refused = launch.run([options.meridian, "merge", run.trace])
        check.equal("exit code while the host may be there", refused.returncode, 1)
        check.true(f"the option is named: {refused.stderr}", "--lost-hosts" in refused.stderr)
        merged = launch.run([options.meridian, "merge", "--json", "--lost-hosts", run.trace])
        check.equal(f"exit code of merge: {merged.stderr}", merged.returncode, 2)
        summary = json.loads(merged.stdout)
        findings = {finding["name"]: finding for finding in summary["findings"]}
        check.equal("ranks of the lost host", findings["rank.host_lost"]["count"], options.ranks)
        check.equal("errors", [name for name, finding in findings.items() if finding["severity"] == "error"], [])
        for path in sorted(run.trace.glob("rank-*.h5")):
            rank, *calls, losses = check_kills.completed_calls(path)
            check.equal(f"losses of rank {rank}", losses, {})
            for thread in (0, 1):
                check.true(f"rank {rank}: {before[rank][1 + thread]} <= {calls[thread]} <= {after[rank][1 + thread]}",
                           before[rank][1 + thread] <= calls[thread] <= after[rank][1 + thread])  # fmt: skip
        again = launch.run([options.meridian, "merge", "--json", run.trace])
        check.equal("exit code of another merge", again.returncode, 2)
        check.true("it finds the same", json.loads(again.stdout)["findings"] == summary["findings"])
        return check.finish(refused, merged)


if __name__ == "__main__":
    sys.exit(main())
