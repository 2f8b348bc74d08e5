# SPDX-License-Identifier: Apache-2.0
"""The rules find what is planted, and nothing in a tree that is right."""

import pathlib
import tempfile
import unittest

import rules


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.plant("ARCHITECTURE.md", "`merger/` has `merger/model/findings.def`, and writes `rank-00000.h5`.\n")
        self.plant("README.md", "```sh\nscripts/demo\nscripts/test\n```\nSee [the map](ARCHITECTURE.md).\n")
        self.plant("CONTRIBUTING.md", "```sh\nscripts/test\ncmake --preset release\n```\n")
        self.plant("CMakePresets.json", '{"configurePresets": [{"name": "release"}]}\n')
        self.plant("merger/model/findings.def", "// SPDX-License-Identifier: Apache-2.0\n")
        self.plant("summary/problems/problems.hpp", '// SPDX-License-Identifier: Apache-2.0\n  KIND(lock, "lock") \\\n')
        self.plant("docs/PROBLEMS.md", "| problem |\n|---|\n| lock | waits for locks |\n")
        for script in ("demo", "test"):
            self.plant(f"scripts/{script}", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n").chmod(0o755)

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def one(self, rule, *words):
        violations = rules.RULES[rule](self.root)
        self.assertEqual(len(violations), 1, violations)
        for word in words:
            self.assertIn(word, violations[0])

    def test_a_tree_that_is_right_passes_every_rule(self):
        for rule in rules.RULES.values():
            self.assertEqual(rule(self.root), [])

    def test_a_path_that_does_not_exist_is_found(self):
        self.plant("ARCHITECTURE.md", "Look at `merger/match/match.cpp`.\n")
        self.one("paths", "merger/match/match.cpp")

    def test_a_line_number_is_found(self):
        self.plant("ARCHITECTURE.md", "See merge.cpp:12.\n")
        self.one("screen", "line number")

    def test_a_script_that_is_not_there_is_found(self):
        self.plant("CONTRIBUTING.md", "```sh\nscripts/lint\n```\n")
        self.one("commands", "scripts/lint")

    def test_a_script_that_cannot_be_run_is_found(self):
        (self.root / "scripts/demo").chmod(0o644)
        self.one("commands", "scripts/demo")

    def test_a_problem_without_a_row_is_found(self):
        self.plant("docs/PROBLEMS.md", "| problem |\n|---|\n| locks | waits for locks |\n")
        self.one("problems", "'lock'")

    def test_an_unknown_preset_is_found(self):
        self.plant("CONTRIBUTING.md", "```sh\ncmake --preset fast\n```\n")
        self.one("commands", "fast")

    def test_a_readme_without_its_two_commands_is_found(self):
        self.plant("README.md", "```sh\nscripts/demo\n```\n")
        self.one("commands", "scripts/test")

    def test_an_unknown_subcommand_is_found(self):
        self.plant("CONTRIBUTING.md", "```sh\nmeridian merge DIR\nmeridian fly DIR\n```\n")
        program = self.plant("meridian", "#!/bin/sh\necho 'Subcommands:'\necho '  merge   puts ranks together'\n")
        program.chmod(0o755)
        violations = rules.check_commands(self.root, program)
        self.assertEqual(violations, ["CONTRIBUTING.md: meridian has no subcommand fly"])

    def test_a_link_that_leads_nowhere_is_found(self):
        self.plant("README.md", "```sh\nscripts/demo\nscripts/test\n```\n[map](MAP.md) [net](https://example.org)\n")
        self.one("links", "MAP.md")

    def test_a_source_file_without_its_license_is_found(self):
        self.plant("merger/merge.cpp", "\n\n\n// SPDX-License-Identifier: Apache-2.0\n")
        self.one("license", "merger/merge.cpp")

    def test_a_hot_file_may_name_its_license_in_the_second_line(self):
        self.plant("pmpi/traced.hpp", "// hot\n// SPDX-License-Identifier: Apache-2.0\n")
        self.assertEqual(rules.check_license(self.root), [])

    def test_a_mark_is_found(self):
        self.plant("merger/merge.cpp", "// TO" "DO: more\n")
        self.one("marks", "merger/merge.cpp:1")

    def test_a_path_of_a_machine_is_found(self):
        self.plant("merger/merge.cpp", 'open("/ho' 'me/me/trace");\n')
        self.one("machine_paths", "merger/merge.cpp:1")


if __name__ == "__main__":
    unittest.main()
