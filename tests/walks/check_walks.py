# SPDX-License-Identifier: Apache-2.0
"""Takes the walks of CONTRIBUTING.md in a copy of the sources, and checks their results.

check_walks.py --source DIR --build DIR --rank-file FILE [--edits-only] WALK...

Keys of a walk (walk.py has its form):
    run      words of a `meridian` command; TRACE stands for a directory with a rank file
    shows    what it must print
    with     source files that the program is compiled with
    prints   what the program must print
    exports  an MPI function that the tracer must export, as if the MPI library had it

The copy is compiled without optimization, because only this test uses it, and by clang where there is one, which is quicker.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import walk as walks_of

parser = argparse.ArgumentParser()
parser.add_argument("--source", type=pathlib.Path, required=True)
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("--rank-file", type=pathlib.Path, required=True)
parser.add_argument("--edits-only", action="store_true")
parser.add_argument("walks", nargs="+", type=pathlib.Path)
arguments = parser.parse_args()

scratch = arguments.build / "tests/walks" / ("edited" if arguments.edits_only else "copy")
LEFT_OUT = {"build", "tests"}


def copy_sources():
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for source in arguments.source.iterdir():
        if source.name not in LEFT_OUT and not source.name.startswith("."):
            (shutil.copytree if source.is_dir() else shutil.copy)(source, scratch / source.name)


def apply(walk):
    for edit in walk.edits:
        walks_of.apply_edit(edit, scratch)


def run(*words, **options):
    """Its output; ends with a message where the command fails."""
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        print(*words, "\n", done.stdout[-6000:])
        sys.exit(f"exit code {done.returncode}")
    return done.stdout


class Tree:
    """A build tree of the copy, at the same place in it as the original, whose settings it takes over."""

    def __init__(self):
        inside = arguments.build.is_relative_to(arguments.source)
        self.folder = scratch / (arguments.build.relative_to(arguments.source) if inside else "build/copy")
        cache = (arguments.build / "CMakeCache.txt").read_text()
        has_clang = shutil.which("clang") and shutil.which("clang++")
        wanted = r"^((?:CMAKE_MAKE_PROGRAM" + ("" if has_clang else r"|CMAKE_(?:C|CXX)_COMPILER") + r"|MERIDIAN_\w+):\w+=.*)$"
        entries = [entry for entry in re.findall(wanted, cache, re.M) if ":INTERNAL=" not in entry]
        if has_clang:
            entries += ["CMAKE_C_COMPILER:STRING=clang", "CMAKE_CXX_COMPILER:STRING=clang++"]
        entries += ["CMAKE_BUILD_TYPE:STRING=None", "CMAKE_CXX_FLAGS:STRING=-O0", "CMAKE_C_FLAGS:STRING=-O0"]
        entries += ["CMAKE_C_COMPILER_LAUNCHER:STRING=", "CMAKE_CXX_COMPILER_LAUNCHER:STRING="]
        entries += ["MERIDIAN_TESTS:BOOL=OFF", "MERIDIAN_BENCH:BOOL=OFF"]
        generator = re.search(r"^CMAKE_GENERATOR:INTERNAL=(.*)$", cache, re.M)[1]
        self.cmake("-S", scratch, "-B", self.folder, "-G", generator, *(f"-D{entry}" for entry in entries))

    def cmake(self, *words):
        return run("cmake", *words)

    def build(self, target):
        self.cmake("--build", self.folder, "--target", target, "--parallel", "2")


def expect(walk, wanted, text):
    if wanted not in text:
        sys.exit(f"{walk.name}: '{wanted}' is not in\n{text}")
    print(f"{walk.name}: {wanted}")


def check_program(walk):
    source, program = scratch / f"{walk.name}.cpp", scratch / walk.name
    source.write_text(walk.program)
    parts = [scratch / part for part in walk.keys["with"].split()]
    run("c++", "-std=c++20", "-O0", "-I", scratch, source, *parts, "-o", program)
    expect(walk, walk.keys["prints"], run(program))


def check_command(walk, tree):
    trace = scratch / f"trace-{walk.name}"
    trace.mkdir()
    shutil.copy(arguments.rank_file, trace / "rank-00000.h5")
    words = [str(trace) if word == "TRACE" else word for word in walk.keys["run"].split()]
    done = subprocess.run([tree.folder / "bin/meridian", *words], stdout=subprocess.PIPE, text=True)
    expect(walk, walk.keys["shows"], done.stdout)


def check_export(walk, tree):
    """No MPI library has the function: it is made to say so."""
    name = walk.keys["exports"]
    tree.cmake(tree.folder)
    header = next(iter(sorted(tree.folder.glob("pmpi/*/mpi_has.h"))), None)
    if header is None:
        print("no MPI library, so no tracer")
        return
    text = header.read_text()
    has = f"#define MERIDIAN_HAS_{name.removeprefix('MPI_')} "
    assert has + "0\n" in text, has
    header.write_text(text.replace(has + "0\n", has + "1\n"))
    flavor = header.parent.name
    target = f"pmpi/CMakeFiles/meridian_{flavor}.dir/calls/wrappers.cpp.o"
    tree.build(target)
    expect(walk, f" T {name}\n", run("nm", tree.folder / target))


walks = [walks_of.parse(path) for path in arguments.walks]
copy_sources()
try:
    for walk in walks:
        walks_of.check_against(walk, (arguments.source / "CONTRIBUTING.md").read_text())
    of_command = [walk for walk in walks if "run" in walk.keys]
    of_tracer = [walk for walk in walks if "run" not in walk.keys]
    for walk in of_command:
        apply(walk)
    if arguments.edits_only:
        for walk in of_tracer:
            apply(walk)
        shutil.rmtree(scratch)
        sys.exit(0)
    tree = Tree()
    tree.build("meridian")
    for walk in of_command:
        check_command(walk, tree)
    for walk in of_tracer:  # last: everything would have to be compiled again
        apply(walk)
        check_program(walk)
        check_export(walk, tree)
except walks_of.WalkError as error:
    sys.exit(str(error))
shutil.rmtree(scratch)
