# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the tracer, merges, and compares each export with the merged file.

check_whole.py --meridian M --mpiexec X --ranks N [--formats a,b] program
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import check_export  # noqa: E402
import launch  # noqa: E402

parser = launch.parser("formats")
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    trace = pathlib.Path(work) / "trace"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, pathlib.Path(work) / "scratch")
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    for form in options.formats.split(","):
        done = launch.run([options.meridian, "export", "--format", form, trace])
        assert done.returncode == 0 and done.stderr == "", (form, done.returncode, done.stdout, done.stderr)
        assert done.stdout.startswith(f"Exported to {trace / form}\n"), done.stdout
        count = check_export.check(form, trace / "merged.h5", trace / form)
        assert count is None or count > 100, (form, count)
        print(form, count, "compared;", done.stdout.replace("\n", "; "))
