# SPDX-License-Identifier: Apache-2.0
"""Annotations that a program has already are in its trace; its output is that of the untraced program.

check_annotations.py --meridian M --mpiexec X --ranks N --program P
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

# By program: regions and other events of one rank, with their counts.
EXPECTED = {
    "kokkos": ({"a": 3, "b": 2, "outer": 1, "Kokkos::deep_copy": 1}, {"half way": 1}),
    "nvtx": ({"outer": 3, "wärme": 3, "solver: sweep": 2}, {"restart": 2}),
    "itt": ({"solve": 3, "assemble": 3}, {}),
    "scorep": ({"sweep": 4, "exchange": 4}, {"residual": 4}),
    "scorep_off": ({}, {}),
}
WAYS = {"kokkos": "kokkos3", "nvtx": "nvtx", "itt": "itt"}  # values of MERIDIAN_ANNOTATIONS; Debian has Kokkos 3
OF_KOKKOS = "Kokkos::"  # fences, initialisations and copies of its own, which differ between versions


def counted(summary, name, ranks):
    """(regions, other events) with counts of one rank; Kokkos' own ones that nobody expects are left out."""
    regions = {row["name"]: row["count"] / ranks for row in summary["regions"]}
    events = {row["name"]: row["count"] / ranks for row in summary["user_events"] if row["kind"] != "region"}
    if name == "kokkos":
        regions = {key: count for key, count in regions.items() if not key.startswith(OF_KOKKOS) or key in EXPECTED[name][0]}
    return regions, events


def main():
    options = launch.parser("program").parse_args()
    name = pathlib.Path(options.program).name
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-annotations-") as folder:
        folder = pathlib.Path(folder)
        untraced = launch.mpirun(options.mpiexec, options.ranks, [options.program])
        runs = [({}, ({}, {}) if name in WAYS else EXPECTED[name])]
        if name in WAYS:
            runs.append(({"MERIDIAN_ANNOTATIONS": WAYS[name]}, EXPECTED[name]))
        for settings, expected in runs:
            label = str(settings or "by default")
            trace = folder / f"trace{len(settings)}"
            traced = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, folder / "scratch", **settings)
            merge = launch.run([options.meridian, "merge", "--quiet", trace])
            stats = launch.run([options.meridian, "stats", "--json", trace])
            check.equal(f"{label}: exit codes", [done.returncode for done in (untraced, traced, merge, stats)], [0, 0, 0, 0])
            check.equal(f"{label}: output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))  # of all ranks
            check.equal(f"{label}: regions and events", counted(json.loads(stats.stdout), name, options.ranks), expected)
    return check.finish(untraced, traced, merge)


if __name__ == "__main__":
    sys.exit(main())
