# SPDX-License-Identifier: Apache-2.0
"""scripts/tidy in a project of its own: what is checked again after which change, and what --changed chooses."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/tidy"
SKIPPED = 77
GIT = ("git", "-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "init.defaultBranch=main")


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("value.hpp", "inline int value() { return 1; }\n")
        self.write("a.cpp", '#include "value.hpp"\nint a() { return value(); }\n')
        self.write("b.cpp", "int b() { return 2; }\n")
        self.write(".clang-tidy", "Checks: '-*,misc-redundant-expression'\n")
        self.write(".gitignore", "/build/\n")
        (self.root / "scripts/testing").mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts/tidy")
        shutil.copy(SCRIPT.parent / "testing/branch.py", self.root / "scripts/testing")
        commands = [
            {"directory": str(self.root), "file": str(self.root / name), "command": f"clang++ -std=c++20 -I. -o {name}.o -c {self.root / name}"}
            for name in ("a.cpp", "b.cpp")
        ]
        self.write("build/units/compile_commands.json", json.dumps(commands))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.root, capture_output=True, check=True)

    def tidy(self, *words):
        done = subprocess.run([self.root / "scripts/tidy", *words], capture_output=True, text=True, check=False)
        return done.stdout.splitlines()[0], done.returncode

    def test_what_has_not_changed_is_not_checked_again(self):
        self.assertEqual(self.tidy("--all"), ("clang-tidy: 2 of 2 units, 0 of them as they were", 0))
        self.assertEqual(self.tidy("--all"), ("clang-tidy: 2 of 2 units, 2 of them as they were", 0))

    def test_a_changed_header_is_checked_where_it_is_included(self):
        self.tidy("--all")
        self.write("value.hpp", "inline int value() { return 3; }\n")
        self.assertEqual(self.tidy("--all"), ("clang-tidy: 2 of 2 units, 1 of them as they were", 0))

    def test_other_rules_check_everything_again(self):
        self.tidy("--all")
        self.write(".clang-tidy", "Checks: '-*,misc-misplaced-const'\n")
        self.assertEqual(self.tidy("--all"), ("clang-tidy: 2 of 2 units, 0 of them as they were", 0))

    def test_a_finding_fails_each_time(self):
        self.write("b.cpp", "bool b(int x) { return x == x; }\n")
        self.assertEqual(self.tidy("--all")[1], 1)
        self.assertEqual(self.tidy("--all"), ("clang-tidy: 2 of 2 units, 1 of them as they were", 1))

    def test_changed_means_since_the_main_branch(self):
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        self.git("checkout", "-q", "-b", "topic")
        self.assertEqual(self.tidy("--changed")[0], "clang-tidy: 0 of 2 units, 0 of them as they were")
        self.write("value.hpp", "inline int value() { return 3; }\n")
        self.assertEqual(self.tidy("--changed")[0], "clang-tidy: 1 of 2 units, 0 of them as they were")
        self.write("b.cpp", "int b() { return 4; }\n")
        self.git("commit", "-q", "-a", "-m", "second")
        self.assertEqual(self.tidy("--changed")[0], "clang-tidy: 2 of 2 units, 1 of them as they were")

    def test_changed_on_the_main_branch_means_its_last_commits(self):
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        self.write("b.cpp", "int b() { return 4; }\n")
        self.git("commit", "-q", "-a", "-m", "second")
        self.assertEqual(self.tidy("--changed")[0], "clang-tidy: 1 of 2 units, 0 of them as they were")


if __name__ == "__main__":
    for program in ("clang++", "clang-tidy", "git"):
        if not shutil.which(program):
            print(f"skipped: there is no {program}")
            sys.exit(SKIPPED)
    unittest.main()
