# SPDX-License-Identifier: Apache-2.0
"""Processor time in functions of the program that MPI calls, against the program's own clock.

check_called.py --meridian M --writer W --mpiexec X --ranks N called PROGRAM HZ [signal]
"""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import ways  # noqa: E402
from check_samples import Run  # noqa: E402


def check_called(check, options, work):
    run = Run(options, work, MERIDIAN_SAMPLES=options.files[0])
    check.equal("exit code", run.process.returncode, 0)
    operation_s = {rank: seconds for rank, (seconds, _) in run.said().items()}
    merged, summary = run.merge()
    rows = summary["called_functions"]
    names = [(row["call"], row["function"], row["place"].split(":")[0], row["module"]) for row in rows]
    module = pathlib.Path(options.program).name
    check.equal("function with most time", names[:1], [("MPI_Allreduce", "slow_sum", "called.c", module)])
    if not rows:
        return run, merged
    # spent() is called by slow_sum(); work_between() runs between calls of MPI.
    check.true(f"others: {names}", set(names[1:]) <= {("MPI_Allreduce", "spent", "called.c", module)})
    said, found = sum(operation_s.values()), sum(row["processor_s"] for row in rows)
    check.true(f"{found} s of {said} s", 0.85 * said <= found <= 1.15 * said)
    check.true(f"standard error {rows[0]['error_s']}", 0 < rows[0]["error_s"] < 0.2 * said)
    problems = [row for row in summary["problems"] if row["problem"] == "transfer" and row["function"] == "MPI_Allreduce"]
    check.equal("problems", len(problems), 1)
    for problem in problems:
        check.true(problem["text"], " MPI calls functions of the program in MPI_Allreduce: slow_sum (called.c:" in problem["text"])
        check.equal("remedy", problem["remedy"], "Make slow_sum faster, or let MPI call it less often.")
    return run, merged


if __name__ == "__main__":
    sys.exit(ways.main({"called": check_called}, "meridian-samples-"))
