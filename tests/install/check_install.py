"""Installs the build, moves the installation, builds examples/ring against it in one of three ways, and compares the
trace with what the program's arguments predict."""

import argparse
import os
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "examples")]
import launch  # noqa: E402
import predictions  # noqa: E402

LAPS, RANKS = 25, 2

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(Meridian REQUIRED COMPONENTS {flavor})
add_executable(ring {source})
target_link_libraries(ring PRIVATE Meridian::{flavor})
"""


class Failed(Exception):
    """A command that had to work did not."""


def must(process):
    if process.returncode != 0:
        raise Failed(f"{process.args} ended with {process.returncode}\n{process.stdout}{process.stderr}")
    return process.stdout


def build_with_pkg_config(options, prefix, folder):
    os.environ["PKG_CONFIG_PATH"] = str(prefix / options.libdir / "pkgconfig")
    flags = must(launch.run(["pkg-config", "--cflags", "--libs", f"meridian-{options.flavor}"])).split()
    must(launch.run([options.mpicc, options.source, "-o", folder / "ring", *flags]))
    return [folder / "ring"]


def build_with_find_package(options, prefix, folder):
    (folder / "CMakeLists.txt").write_text(PROJECT.format(flavor=options.flavor, source=options.source))
    build = folder / "build"
    must(launch.run(["cmake", "-S", folder, "-B", build, f"-DCMAKE_C_COMPILER={options.mpicc}",
                     f"-DCMAKE_PREFIX_PATH={prefix}"]))
    must(launch.run(["cmake", "--build", build]))
    return [build / "ring"]


def build_for_preload(options, prefix, folder):
    must(launch.run([options.mpicc, options.source, "-o", folder / "ring"]))
    return [prefix / "bin" / "meridian", "run", folder / "ring"]


WAYS = {"pkg_config": build_with_pkg_config, "find_package": build_with_find_package, "preload": build_for_preload}


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "libdir", "flavor", "mpicc", "mpiexec", "source"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--way", choices=WAYS, required=True)
    options = parser.parse_args()

    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-install-") as temporary:
        folder = pathlib.Path(temporary)
        prefix, scratch = folder / "moved", folder / "scratch"
        scratch.mkdir()
        must(launch.run(["cmake", "--install", options.build, "--prefix", folder / "installed"]))
        (folder / "installed").rename(prefix)
        program = WAYS[options.way](options, prefix, folder)
        ran = launch.mpirun(options.mpiexec, RANKS, [*program, LAPS], MERIDIAN_DIR=folder / "trace",
                            MERIDIAN_SCRATCH=scratch)
        expected = predictions.ring(RANKS, LAPS)
        check.equal("exit code", ran.returncode, 0)
        check.equal("output", ran.stdout, expected.result)
        merged, summary = launch.merge(prefix / "bin" / "meridian", folder / "trace")
        check.equal("exit code of merge", merged.returncode, 0)
        if summary is not None:
            calls = {function["name"]: function["count"] for function in summary["functions"]}
            check.equal("calls by function", calls, dict(expected.calls))
            check.equal("findings", summary["findings"], [])
        return check.finish(ran, merged)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(str(failure))
