# SPDX-License-Identifier: Apache-2.0
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


READER = """
#include <cstdio>
#include <cstdlib>

#include "merged/merged_trace.hpp"

int main(int, char** argv) {
  const auto trace = meridian::MergedTrace::open(argv[1]);
  if (!trace) return std::puts(trace.error().what.c_str()), EXIT_FAILURE;
  auto cursor = trace->select();
  meridian::MergedBatch batch;
  unsigned long long events = 0, bytes = 0;
  while (cursor && *cursor->next(batch))
    for (const meridian::MergedEvent& event : batch.events) {
      ++events;
      for (const meridian::EventLink& link : batch.links_of(event))
        if (link.kind == meridian::LinkKind::sent) bytes += trace->message(link.number)->bytes;
    }
  std::printf("%llu %llu %llu\\n", events, static_cast<unsigned long long>(trace->messages()), bytes);
}
"""
READER_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(reader C CXX)
find_package(Meridian REQUIRED COMPONENTS merged)
add_executable(reader reader.cpp)
target_link_libraries(reader PRIVATE Meridian::merged)
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


def read_with_library(prefix, folder, merged):
    """(events, messages, bytes) of a merged file, as a program says that is built against the installed reader."""
    source = folder / "reader"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(READER_PROJECT)
    (source / "reader.cpp").write_text(READER)
    must(launch.run(["cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]))
    must(launch.run(["cmake", "--build", source / "build"]))
    return tuple(int(word) for word in must(launch.run([source / "build" / "reader", merged])).split())


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
            if options.way == "find_package":
                messages = summary["messages"]
                check.equal("events, messages and bytes that the installed reader finds",
                            read_with_library(prefix, folder, folder / "trace" / "merged.h5"),
                            (sum(calls.values()), messages["matched"], messages["bytes"]))
        return check.finish(ran, merged)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(str(failure))
