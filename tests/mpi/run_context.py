# SPDX-License-Identifier: Apache-2.0
"""What is known of the ranks besides their counters: a part of check_counters.py."""

import launch
from counter_trace import CounterTrace


def check_context(runner, check, work):
    """Hosts, commands and resources of the ranks."""
    options = runner.options
    launch_with = [options.mpiexec, "-n", options.ranks, "taskset", "-c", "0", options.meridian, "run"]
    launch_with += [options.program, "a", "b c"]
    variables = {"OMP_NUM_THREADS": "3", "SLURM_JWT": "hidden", "OTHER": "unwanted"}
    process = launch.run(launch_with, MERIDIAN_DIR=work / "trace", MERIDIAN_SCRATCH=work, MERIDIAN_COUNTERS="none", **variables)
    check.equal("messages", (process.returncode, process.stderr), (0, ""))
    model = next(line.split(": ", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    merged, summary = launch.merge(options.meridian, work / "trace")
    for rank in range(options.ranks):
        trace = CounterTrace(work / "trace" / f"rank-{rank:05}.h5")
        command = f"{options.program} a b c"
        check.equal(f"command of rank {rank}", trace.text("command"), command)
        check.equal(f"processor of rank {rank}", trace.text("cpu.model"), model)
        check.equal(f"binding of rank {rank}", trace.text("cpu.binding"), "0")
        check.equal(f"a variable of rank {rank}", trace.text("env.OMP_NUM_THREADS"), "3")
        unwanted = [name for name in ("env.SLURM_JWT", "env.OTHER", "env.PATH") if name in trace.texts]
        check.equal("variables that are not stored", unwanted, [])
        check.equal(f"counters of rank {rank}", trace.names, [])
        usage = {}
        for row in trace.usage:
            usage[int(row["thread"]) if row["kind"] < 2 else -1, int(row["kind"]) % 2] = row  # the last one counts
        check.equal(f"what is known of rank {rank}", set(usage), {(who, end) for who in (-1, 0, 1, 2, 3) for end in (0, 1)})
        for who in (-1, 0, 1, 2, 3):
            for name in ("user_us", "system_us", "minor_faults", "voluntary_switches", "high_water_bytes"):
                check.true(f"{name} of thread {who} of rank {rank} grows", usage[who, 1][name] >= usage[who, 0][name])
        faults = int(usage[0, 1]["minor_faults"]) - int(usage[0, 0]["minor_faults"])
        check.true(f"rank {rank} has faults for 100 fresh pages", faults >= 100)
        has_all = usage[-1, 1]["minor_faults"] >= usage[0, 1]["minor_faults"]
        check.true(f"the process of rank {rank} has those of its threads", has_all)
        worked = int(usage[3, 1]["user_us"]) + int(usage[3, 1]["system_us"])
        check.true(f"a thread that never ended worked 30 ms in rank {rank}: {worked} us", 30_000 <= worked < 60_000)
        check.true(f"memory of rank {rank}", usage[-1, 1]["high_water_bytes"] > 1 << 20)
        context = next(row for row in summary["context"] if row["rank"] == rank)
        check.equal(f"context of rank {rank}", (context["command"], context["cpu_model"], context["cpus"]), (command, model, "0"))
        shown = {row["thread"]: row for row in summary["usage"] if row["rank"] == rank}
        check.equal(f"usage of rank {rank} in the summary", sorted(shown), [-1, 0, 1, 2, 3])
        check.equal(f"faults of rank {rank} in the summary", shown[-1]["minor_faults"], int(usage[-1, 1]["minor_faults"]))
    omp = [(row["value"], row["first_rank"], row["ranks"]) for row in summary["environment"] if row["name"] == "OMP_NUM_THREADS"]
    check.equal("the variable in the summary", omp, [("3", 0, options.ranks)])
    text = launch.run([options.meridian, "stats", "--all", work / "trace"]).stdout
    check.true("the text has the context", all(word in text for word in ("CONTEXT", "bound to", "memory")))
    return merged
