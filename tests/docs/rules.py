# SPDX-License-Identifier: Apache-2.0
"""Claims of the documents about the tree, and contents that the tree must not have. Each rule returns its violations as text."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tree  # noqa: E402

SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"^[\w.-]+(/[\w.*-]+)*/?$")
SUFFIXES = (".md", ".def", ".hpp", ".cpp", ".h", ".c", ".py", ".txt", ".json", ".cmake")
NOT_OF_THE_TREE = re.compile(r"^(rank-\w+|merged|meridian)\.(h5|conf|ring|spool)$|^mpif?\.h$")
# Split so that these lines do not find themselves.
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|un" r"implemented|not im" r"plemented")
MACHINE = re.compile(r"(^|[^.\w])/((" + "|".join(("work", "farm", "root")) + r")/|home/(?!user/))\w")


def prose(name, root):
    return FENCE.sub("", tree.text(name, root) or "")


def named_paths(name, root):
    """Words in backquotes that can only be paths of the tree."""
    for span in SPAN.findall(prose(name, root)):
        for word in span.split():
            if PATH.match(word) and not NOT_OF_THE_TREE.match(word) and ("/" in word or word.endswith(SUFFIXES)):
                yield word


def check_paths(root=tree.ROOT):
    return [
        f"{name}: `{path}` does not exist"
        for name in ("ARCHITECTURE.md", "README.md", "CONTRIBUTING.md")
        for path in named_paths(name, root)
        if path.split("/")[0] not in ("lib", "bin", "libexec", "build") and not (root / path).exists()
    ]


def check_screen(root=tree.ROOT):
    """One screen, and nothing that the next commit makes untrue."""
    text = tree.text("ARCHITECTURE.md", root)
    wrong = [f"ARCHITECTURE.md names a line number: {hit}" for hit in re.findall(r"\w\.[ch]pp:\d+", text)]
    if text.count("\n") > 80:
        wrong.append(f"ARCHITECTURE.md has {text.count(chr(10))} lines, must fit on one screen (80)")
    return wrong


def shell_lines(name, root):
    for language, block in FENCE.findall(tree.text(name, root) or ""):
        if language == "sh":
            for line in block.splitlines():
                yield line.split("#")[0].strip()


def check_commands(root=tree.ROOT, meridian=None):
    """Scripts exist and can be run, presets are there, and `meridian` knows every subcommand that is shown."""
    wrong = []
    presets = tree.text("CMakePresets.json", root) or ""
    for name in ("README.md", "CONTRIBUTING.md"):
        lines = list(shell_lines(name, root))
        if not lines:
            wrong.append(f"{name} shows no command")
        for line in lines:
            for script in re.findall(r"(?:^|\s)(scripts/[\w-]+)", line):
                if not os.access(root / script, os.X_OK):
                    wrong.append(f"{name}: {script} cannot be run")
            for preset in re.findall(r"--preset (\w+)", line):
                if f'"name": "{preset}"' not in presets:
                    wrong.append(f"{name}: there is no preset {preset}")
            for subcommand in re.findall(r"(?:^|[\s/])meridian ([a-z]+)\b", line):
                if meridian and subcommand not in subcommands(meridian):
                    wrong.append(f"{name}: meridian has no subcommand {subcommand}")
    for script in ("scripts/demo", "scripts/test"):
        if not any(line == script for line in shell_lines("README.md", root)):
            wrong.append(f"README.md does not show {script}")
    return wrong


def subcommands(meridian):
    helped = subprocess.run([meridian, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+)\b", helped, re.MULTILINE))


def check_links(root=tree.ROOT):
    wrong = []
    for name in tree.files(root):
        if name.suffix == ".md":
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", tree.text(name, root)):
                if "://" not in target and not (root / name).parent.joinpath(target).exists():
                    wrong.append(f"{name}: link to {target} leads nowhere")
    return wrong


def lines_with(pattern, root, skip=()):
    return [
        f"{name}:{number}: {line.strip()}"
        for name in tree.files(root)
        if name.suffix not in skip
        for number, line in enumerate((tree.text(name, root) or "").splitlines(), 1)
        if pattern.search(line)
    ]


def check_marks(root=tree.ROOT):
    return lines_with(MARKS, root, skip=(".md",))


def check_machine_paths(root=tree.ROOT):
    return lines_with(MACHINE, root)


LICENSE = "SPDX-License-Identifier: Apache-2.0"
LICENSED = {".c", ".cpp", ".h", ".hpp", ".def", ".F90", ".f90", ".f", ".py", ".cmake", ".sh", ".in"}


def check_license(root=tree.ROOT):
    """Every source file names its license in the first three lines: a first line may be a shebang, or `// hot`."""
    wrong = []
    for name in tree.files(root):
        text = tree.text(name, root)
        is_script = name.parts[0] == "scripts" or (text or "").startswith("#!")
        is_source = name.suffix in LICENSED or name.name == "CMakeLists.txt" or is_script
        if text and is_source and not any(LICENSE in line for line in text.splitlines()[:3]):
            wrong.append(f"{name}: no {LICENSE} in the first three lines")
    return wrong


def check_problems(root=tree.ROOT):
    """Each kind of problem that the summary can name has a row in docs/PROBLEMS.md; waits share one."""
    rows = tree.text("docs/PROBLEMS.md", root)
    names = re.findall(r'KIND\(\w+, "([^"]+)"\)', tree.text("summary/problems/problems.hpp", root))
    if not names:
        return ["summary/problems/problems.hpp: no KIND(...) was found"]
    return [f"docs/PROBLEMS.md: no row for the problem '{name}'" for name in names if f"\n| {name} |" not in rows]


RULES = {
    "paths": check_paths,
    "screen": check_screen,
    "commands": check_commands,
    "license": check_license,
    "links": check_links,
    "marks": check_marks,
    "machine_paths": check_machine_paths,
    "problems": check_problems,
}

if __name__ == "__main__":
    violations = RULES[sys.argv[1]](tree.ROOT, *sys.argv[2:])
    print("\n".join(violations))
    sys.exit(1 if violations else 0)
