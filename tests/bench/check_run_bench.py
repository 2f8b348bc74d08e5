# SPDX-License-Identifier: Apache-2.0
"""run_bench does its work: every row of the table is there, with a figure of Meridian, and --json says the same. No
figure is compared with anything: that depends on the machine."""

import json
import pathlib
import subprocess
import sys
import tempfile

WANTED = {
    "calls": ["two clock reads", "MPI_Comm_rank: without pauses, mean", "MPI_Comm_rank: in bursts, mean", "MPI_Iprobe",
              "Irecv+Isend+Waitall", "  processor time of the writers"],
    "totals": ["MPI_Comm_rank: processor time of all processes", "MPI_Comm_rank:   share of the writer",
               "Irecv+Isend+Waitall to self: wall time, mean", "MPI_Comm_rank: MPI_Finalize of a million calls",
               "MPI_Comm_rank: memory of ring and writer"],
    "polls": ["MPI_Test that finds nothing: wall time, mean"],
    "pingpong": ["8-byte ping-pong, a round trip: without pauses, mean"],
    "halo": ["halo exchange, 2 ranks: an iteration", "halo exchange, 2 ranks: wall time, traced over untraced",
             "halo exchange, 4 ranks: wall time, traced over untraced"],
    "samples": ["a loop: interrupts a second, with samples less without", "halo: processor time of the ranks, with samples over without"],
    "locks": ["mutex: lock and unlock", "semaphore: wait and post"],
    "user": ["region: begin and end", "event with two numbers"],
    "records": ["MPI_Comm_rank", "Irecv+Isend+Waitall to self", "MPI_Test that finds nothing", "8-byte ping-pong", "halo exchange"],
    "sizes": ["8-byte ping-pong", "halo exchange, 2 ranks", "halo exchange, 4 ranks"],
}


def main(arguments):
    driver = pathlib.Path(__file__).with_name("run_bench")
    with tempfile.TemporaryDirectory() as work:
        data = pathlib.Path(work, "bench.json")
        process = subprocess.run(
            [sys.executable, driver, *arguments, "--repetitions", "1", "--scale", "0.01", "--programs", "lammps", "--json", data],
            capture_output=True, text=True, check=False,
        )
        print(process.stdout, process.stderr, sep="\n")
        if process.returncode != 0:
            return f"run_bench ended with {process.returncode}"
        result = json.loads(data.read_text())
    problems = []
    if "meridian" in result["missing"]:
        problems.append(f"nothing was traced: {result['missing']['meridian']}")
    for part, names in WANTED.items():
        for name in names:
            rows = [row for row in result[part] if row["name"].startswith(name)]
            if not rows or name not in process.stdout:
                problems.append(f"no row '{name}' in '{part}'")
            elif part != "calls" or name != WANTED["calls"][0]:
                problems += [f"'{row['name']}' has no figure of Meridian" for row in rows if "meridian" not in row["figures"]]
    for name, merged in result["merge"].items():
        if "calls_per_s" not in merged:
            problems.append(f"merge of {name}: {merged.get('note', 'nothing')}")
    return "\n".join(problems) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
