# SPDX-License-Identifier: Apache-2.0
"""The reader of documents finds commands that fail and output that is missing."""

import os
import tempfile
import unittest

import run_document


class Document(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.reader = run_document.Reader(folder.name, dict(os.environ))

    def block(self, *lines):
        return "```sh\n" + "\n".join(lines) + "\n```\n"

    def test_commands_are_run_in_one_folder(self):
        self.assertEqual(self.reader.follow(self.block("touch a", "test -e a") + self.block("ls a") + "<!-- expect: ^a$ -->"), 3)

    def test_a_command_that_fails_is_found(self):
        with self.assertRaisesRegex(run_document.Failed, "`false` ended with 1"):
            self.reader.follow(self.block("true", "false"))

    def test_an_exit_code_is_compared(self):
        self.reader.follow(self.block("(exit 2) # exit code 2"))
        with self.assertRaises(run_document.Failed):
            self.reader.follow(self.block("true # exit code 2"))

    def test_output_that_is_missing_is_found(self):
        with self.assertRaisesRegex(run_document.Failed, "nothing matches 'b'"):
            self.reader.follow(self.block("echo a") + "<!-- expect: b -->")

    def test_a_block_can_be_skipped_and_others_languages_are(self):
        text = "<!-- skip: needs a cluster -->\n" + self.block("false") + "```c\nfalse\n```\n" + self.block("true")
        self.assertEqual(self.reader.follow(text), 1)

    def test_commands_go_on_in_the_next_line(self):
        self.assertEqual(list(run_document.commands_of("a \\\n  b\n# c\ncat <<END\nx\nEND\nd")), ["a   b", "cat <<END\nx\nEND", "d"])


if __name__ == "__main__":
    unittest.main()
