# SPDX-License-Identifier: Apache-2.0
"""Words that are not used are found in every kind of text that is held to the glossary, and nowhere else."""

import pathlib
import tempfile
import unittest

import words


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def violations(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return words.check_words(self.root)

    def test_a_document_is_found_with_the_word_to_write(self):
        found = self.violations("README.md", "Meridian\nhas a Follower.\n")
        self.assertEqual(found, ["README.md:2: 'Follower', write: tracker"])

    def test_a_phrase_over_two_lines_is_found(self):
        found = self.violations("docs/A.md", "puts it on one\ntime line of all\n")
        self.assertEqual(found, ["docs/A.md:1: 'one time line', write: one timeline"])

    def test_a_phrase_over_two_lines_of_a_comment_is_found(self):
        found = self.violations("live/look.cpp", "// nobody\n// can know\n")
        self.assertEqual(found, ["live/look.cpp:1: 'nobody can know', write: cannot be known"])

    def test_findings_and_help_are_held_to_it(self):
        self.assertEqual(len(self.violations("merger/model/findings.def", "as was wanted\n")), 1)
        self.assertEqual(len(self.violations("cli/commands/run_command.cpp", '"recorded, as wanted"\n')), 2)

    def test_tests_are_not(self):
        self.assertEqual(self.violations("tests/unit/clock.cpp", "// meddles\n"), [])

    def test_words_that_look_alike_are_not_found(self):
        self.assertEqual(self.violations("docs/A.md", "It has wanted and was following; muddled, in vanity.\n"), [])


if __name__ == "__main__":
    unittest.main()
