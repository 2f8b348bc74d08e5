# SPDX-License-Identifier: Apache-2.0
"""Traces a program, exports it as OTF2, imports that, and compares both merged files.

check_round_trip.py --meridian M --mpiexec X --ranks N program
"""

import collections
import pathlib
import re
import shutil
import tempfile

from imported import findings, imported, launch, message_of, oracle, parts_of

parser = launch.parser()
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    trace = work / "trace"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, work / "scratch")
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    done = launch.run([options.meridian, "export", "--format", "otf2", "-o", work / "otf2", trace])
    assert done.returncode == 0, (done.stdout, done.stderr)

    before = oracle.Expected(trace / "merged.h5")
    output, after, again = imported(options.meridian, work / "otf2" / "traces.otf2", work / "back")
    print(output, findings(again))

    def counts(of):
        return collections.Counter((of.locations[item[0]], item[3]) for item in of.items)

    assert counts(after) == counts(before), (counts(after) - counts(before), counts(before) - counts(after))
    assert sorted(after.items) == sorted(before.items), "times of calls and regions"
    oracle.same("messages", [message_of(after, one) for one in after.messages], [message_of(before, one) for one in before.messages])
    assert len(before.messages) >= 60 * options.ranks
    started = [one for one in after.messages if after.call(one["send_row"]).startswith("MPI_Start")]
    assert len(started) == 6 * 3 * options.ranks, len(started)
    parts, instances = parts_of(after, lambda call: True)
    expected_parts, expected_instances = parts_of(before, lambda call: True)
    oracle.same("participants of collectives", parts, expected_parts)
    assert instances == expected_instances > 20
    assert after.hosts == before.hosts and after.ranks == before.ranks
    assert after.origin_ns == before.origin_ns
    if shutil.which("otf2-print"):  # a reader that is not ours
        kinds = collections.Counter(re.findall(r"^([A-Z_]+) ", launch.run(["otf2-print", work / "otf2" / "traces.otf2"]).stdout, re.M))
        assert kinds["ENTER"] == len(after.items), kinds
        assert kinds["MPI_SEND"] + kinds["MPI_ISEND"] == kinds["MPI_RECV"] + kinds["MPI_IRECV"] == len(after.messages), kinds
        assert kinds["MPI_COLLECTIVE_END"] + kinds["NON_BLOCKING_COLLECTIVE_COMPLETE"] == len(parts), kinds
    assert set(findings(again)) <= {"import.left_out"} | set(findings(summary)), (findings(again), findings(summary))
