# SPDX-License-Identifier: Apache-2.0
"""Permitted includes, and functions that hot code must not reach. Each rule takes a root and returns its violations as text."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tree  # noqa: E402

# Folder -> folders of ours that it may include besides itself. The same table as in ARCHITECTURE.md.
MAY_INCLUDE = {
    "trace/model": [],
    "trace/ring": ["trace/model", "trace/unwind"],
    "trace/unwind": [],
    "trace/format": ["trace/model", "trace/ring"],
    "trace/containers": ["trace/model", "trace/format"],
    "trace/records": ["trace/model", "trace/ring", "trace/format", "trace/containers"],
    "trace/definitions": ["trace/model", "trace/format"],
    "processes": ["trace"],
    "papi": ["trace"],
    "include": [],
    "annotations": ["include"],
    "pmpi": ["trace/model", "trace/ring", "trace/unwind", "papi", "include"],
    "writer": ["trace"],
    "summary": ["trace"],
    "merger": ["trace", "processes", "summary", "merged/model"],
    "merged/model": ["trace"],
    "merged": ["trace", "summary"],
    "analysis": ["trace", "summary", "merged", "processes"],
    "choice": ["trace", "summary", "merged"],
    "export": ["trace", "summary", "merged", "choice"],
    "import": ["trace", "export"],
    "edit": ["trace", "summary", "merged", "merger", "choice"],
    "query": ["trace", "summary", "merged"],
    "live": ["trace"],
    "report": ["trace", "summary", "merged", "analysis"],
    "cli": ["trace", "processes", "summary", "papi", "writer", "merger", "merged", "analysis", "choice", "export", "import", "edit", "query", "live", "report"],
    "examples": [],
}
GENERATED = {"mpi_has.h"}  # written by the build, beside no source

# Headers that allocate, lock, format, throw or do I/O. Hot code must not include them.
COLD_HEADERS = set(
    """any condition_variable cstdio deque exception filesystem format forward_list fstream future
    hdf5.h iomanip iostream istream list locale map memory mutex ostream papi.h pthread.h queue regex semaphore set
    shared_mutex sstream stdexcept stdio.h string syslog.h thread unordered_map unordered_set variant vector""".split()
)
# Files that interpose these functions have to include them.
WRAPPED = {"pmpi/libraries/libc_calls.hpp": {"pthread.h", "stdio.h"}}
COLD_PREFIXES = ("fmt/", "nlohmann/", "CLI/", "pmix", "libdeflate")

MAX_LINES = 400
MAX_COLUMNS_OF_SCRIPTS = 120  # clang-format keeps those of C++
COUNTED = {".c", ".cjs", ".cpp", ".h", ".hpp", ".js", ".py", ".cmake", ".sh", ".txt", ""}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(root, folders=tuple(MAY_INCLUDE)):
    for path in tree.files(root):
        if path.suffix in (".c", ".cpp", ".h", ".hpp") and path.as_posix().startswith(tuple(f + "/" for f in folders)):
            yield path


def part_of(path):
    """The longest row of MAY_INCLUDE that holds `path`; None outside all of them."""
    inside = [folder for folder in MAY_INCLUDE if path.startswith(folder + "/")]
    return max(inside, key=len, default=None)


def includes(root, path):
    """(bracket, name) of each include."""
    return INCLUDE.findall(tree.text(path, root) or "")


def check_includes(root=tree.ROOT):
    wrong = []
    for path in sources(root):
        part = part_of(path.as_posix())
        allowed = [part, *MAY_INCLUDE[part]]
        for bracket, name in includes(root, path):
            is_ours = part_of(name) is not None or name.startswith("tests/")
            if bracket == "<" and is_ours:
                wrong.append(f'{path}: our own <{name}> is included with "..."')
            elif bracket == '"' and name not in GENERATED and not (root / name).is_file():
                wrong.append(f'{path}: "{name}" is no path from the root of the repository')
            elif bracket == '"' and is_ours and not name.startswith(tuple(folder + "/" for folder in allowed)):
                wrong.append(f"{path}: {part} may not include {name}; it may include {', '.join(allowed)}")
    return wrong


def is_hot(root, path):
    return (tree.text(path, root) or "").startswith("// hot\n")


def check_hot(root=tree.ROOT):
    wrong = []
    for path in sources(root):
        if not is_hot(root, path):
            continue
        if part_of(path.as_posix()) not in ("pmpi", "papi"):
            wrong.append(f"{path}: hot code lives in pmpi/ and papi/")
        wrong += [f"{path}: reaches {chain}" for chain in cold_reach(root, path)]
    return wrong


def cold_reach(root, start):
    """Cold headers that a hot file reaches through headers of ours, each with the way to it."""
    seen, todo, found = set(), [(start.as_posix(), "")], []
    while todo:
        path, way = todo.pop()
        for bracket, name in includes(root, path):
            if name in WRAPPED.get(path, ()):
                continue
            if bracket == "<" and (name in COLD_HEADERS or name.startswith(COLD_PREFIXES)):
                found.append(f"<{name}>{way}")
            elif bracket == '"' and name not in seen and (root / name).is_file():
                seen.add(name)
                if part_of(name) in ("pmpi", "papi") and not is_hot(root, name):
                    found.append(f"{name}, which is not hot{way}")
                else:
                    todo.append((name, f" through {name}{way}"))
    return found


def check_sizes(root=tree.ROOT):
    wrong = []
    for path in tree.files(root):
        if path.suffix in COUNTED and path.name != "LICENSE" and (path.suffix != ".txt" or path.name == "CMakeLists.txt"):
            lines = (tree.text(path, root) or "").count("\n")
            if lines >= MAX_LINES:
                wrong.append(f"{path}: {lines} lines; above {MAX_LINES}, look for the second thing inside")
        if path.suffix in (".js", ".cjs"):
            for number, line in enumerate((tree.text(path, root) or "").splitlines(), 1):
                if len(line) > MAX_COLUMNS_OF_SCRIPTS:
                    wrong.append(f"{path}:{number}: {len(line)} columns; above {MAX_COLUMNS_OF_SCRIPTS}, give a part a name")
    return wrong


# Where calls have facts (trace/model/call_facts.hpp), not names.
WITHOUT_NAMES = ("analysis/", "live/", "merger/statistics/", "report/", "summary/")
NAME_OF_CALL = re.compile(r"""//[^\n]*|/\*.*?\*/|(["'`])(P?MPI_\w*)\1""", re.DOTALL)


def check_calls(root=tree.ROOT):
    """Each name of an MPI procedure, or beginning of names, in code that should ask for the facts of a call."""
    wrong = []
    for path in tree.files(root):
        if path.as_posix().startswith(WITHOUT_NAMES) and path.suffix in (".cpp", ".hpp", ".js"):
            text = tree.text(path, root) or ""
            for found in NAME_OF_CALL.finditer(text):
                if found[2]:
                    line = text.count("\n", 0, found.start()) + 1
                    wrong.append(f'{path}:{line}: "{found[2]}": ask trace/model/call_facts.hpp, not for the name')
    return wrong


def check_folders(root=tree.ROOT):
    """Every folder with sources is in tree.FOLDERS, and each list of folders is that one: MAY_INCLUDE, .clang-tidy."""
    wrong = []
    known = {*tree.FOLDERS, "tests"}
    for path in tree.files(root):
        if path.suffix in (".cpp", ".hpp") and path.parts[0] not in known:
            known.add(path.parts[0])
            wrong.append(f"{path.parts[0]}/ has sources, and is not in FOLDERS of tests/support/tree.py")
    rows = {folder.split("/")[0] for folder in MAY_INCLUDE}
    wrong += [f"{folder}/ has no row in MAY_INCLUDE" for folder in tree.FOLDERS if folder not in rows]
    wrong += [f"{folder}/ of MAY_INCLUDE is not in FOLDERS of tests/support/tree.py" for folder in sorted(rows.difference(tree.FOLDERS))]
    wanted = f"HeaderFilterRegex: '.*/({'|'.join(tree.FOLDERS)}|tests)/.*'"
    if (root / ".clang-tidy").is_file() and wanted not in (tree.text(".clang-tidy", root) or "").splitlines():
        wrong.append(f".clang-tidy does not look at the headers of all folders: {wanted}")
    return wrong


RULES = {"includes": check_includes, "hot": check_hot, "sizes": check_sizes, "calls": check_calls, "folders": check_folders}
WARNINGS = {"sizes"}  # printed by scripts/check; a long file is a hint, not a mistake

if __name__ == "__main__":
    violations = RULES[sys.argv[1]]()
    print("\n".join(violations))
    sys.exit(1 if violations and sys.argv[1] not in WARNINGS else 0)
