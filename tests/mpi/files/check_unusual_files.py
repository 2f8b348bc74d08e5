# SPDX-License-Identifier: Apache-2.0
"""A program that uses files in unusual ways prints and returns the same traced and untraced; files beyond those with a name have one row.

check_unusual_files.py --meridian M --mpiexec X --ranks N program
"""

import json
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402

MANY, NAMED = 7000, 6000


def main():
    options = launch.parser()
    options.add_argument("program")
    options = options.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-files-") as folder:
        work = pathlib.Path(folder)
        untraced = launch.mpirun(options.mpiexec, options.ranks, [options.program, work / "a"])
        traced = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, work / "b"], work / "trace", work / "scratch")
        check.equal("exit code", (untraced.returncode, traced.returncode), (0, 0))
        check.equal("output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))
        merged, summary = launch.merge(options.meridian, work / "trace")
        check.equal("merge", merged.returncode, 0)
        rows = {pathlib.Path(row["name"]).name: row for row in summary["files"]}
        further = rows.get("(further files)", {"ranks": 0, "opens": 0, "writes": 0})
        named = sum(name.startswith("b.") and ".many." in name for name in rows)
        all_ranks = options.ranks
        check.true(f"{named} files with names", (NAMED - 100) * all_ranks <= named <= NAMED * all_ranks)
        check.equal("further files", [further[key] for key in ("ranks", "opens", "writes")],
                    [all_ranks, MANY * all_ranks - named, MANY * all_ranks - named])
        check.equal("findings", [finding["name"] for finding in json.loads(merged.stdout)["findings"] if finding["severity"] == "error"], [])
        return check.finish(untraced, traced)


if __name__ == "__main__":
    sys.exit(main())
