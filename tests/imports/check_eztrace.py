# SPDX-License-Identifier: Apache-2.0
"""A trace of EZTrace, whose ranks count their time from their own starts: the merge puts reversed messages right.

check_eztrace.py --meridian M --mpiexec X --ranks N --module openmpi|mpich program
"""

import collections
import pathlib
import re
import shutil
import sys
import tempfile

from imported import findings, imported, launch

ROUNDS = 1000
RECORD = re.compile(
    r"^(MPI_SEND|MPI_RECV) +(\d+) +(\d+) +(?:Receiver|Sender): (-?\d+) .*?Communicator: .*?<(\d+)>, Tag: (-?\d+)", re.M
)


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def messages_of(archive):
    """[(sent, received)] in the archive's own times: the n-th send of a channel belongs to its n-th receive."""
    done = launch.run(["otf2-print", archive])
    assert done.returncode == 0, done.stderr
    locations = {}  # by rank: those of EZTrace grow with it
    found = RECORD.findall(done.stdout)
    for number, location in enumerate(sorted({int(location) for _, location, *_ in found})):
        locations[location] = number
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    for kind, location, time, peer, comm, tag in found:
        own = locations[int(location)]
        if kind == "MPI_SEND":
            sends[own, int(peer), comm, tag].append(int(time))
        else:
            receives[int(peer), own, comm, tag].append(int(time))
    return [pair for channel, times in receives.items() if len(sends[channel]) == len(times) for pair in zip(sends[channel], times)]


parser = launch.parser("module")
parser.add_argument("program")
options = parser.parse_args()
for needed in ("eztrace", "eztrace_avail", "otf2-print"):
    if shutil.which(needed) is None:
        skip(f"no program {needed}")
if not re.search(rf"^{options.module}\s", launch.run(["eztrace_avail"]).stdout, re.M):
    skip(f"EZTrace has no module {options.module}")

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    done = launch.mpirun(
        options.mpiexec, options.ranks, ["eztrace", "-t", options.module, "-o", work / "ez", options.program, ROUNDS, "more"]
    )
    archives = sorted((work / "ez").rglob("*.otf2"))
    if done.returncode != 0 or not archives:
        skip(f"EZTrace cannot trace here: exit {done.returncode}, {(done.stdout + done.stderr)[-500:]}")
    pairs = messages_of(archives[0])
    reversed_before = sum(received < sent for sent, received in pairs)
    output, after, summary = imported(options.meridian, archives[0], work / "trace")
    reversed_after = sum(after.leave(one["completion_row"]) <= after.enter(one["send_row"]) for one in after.messages)
    print(f"{len(pairs)} messages, {reversed_before} of them reversed in the archive, {reversed_after} of {len(after.messages)} after the merge")
    print(output, findings(summary))

    assert len(pairs) == ROUNDS * options.ranks
    assert len(after.messages) == len(pairs), "each message with both sides in the archive"
    assert reversed_after == 0
    assert {(one["bytes"], one["tag"]) for one in after.messages} == {(32, 1)}
    calls = collections.Counter(name for _, _, _, name, _ in after.items)
    assert calls["MPI_Send"] == (ROUNDS + ROUNDS // 10) * options.ranks and calls["MPI_Irecv"] == ROUNDS // 10 * options.ranks
    assert calls["MPI_Allreduce"] == ROUNDS // 50 * options.ranks
    found = findings(summary)
    assert found["import.one_sided"] == 2 * ROUNDS // 10 * options.ranks, "EZTrace has no completions of non-blocking receives"
    if reversed_before > len(pairs) // 10:
        assert "import.clocks" in found, found
    assert not {name for name in found if name.startswith(("message.", "collective.", "order."))}, found
