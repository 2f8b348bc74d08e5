# SPDX-License-Identifier: Apache-2.0
"""pyflakes over Python files: unused and undefined names. What `# noqa` excuses is left out, which pyflakes alone does not know.

    flakes.py FILE...
"""

import pathlib
import sys

from pyflakes import checker, messages

# Recipes of Spack begin with a star import.
STARS = (messages.ImportStarUsed, messages.ImportStarUsage)


def flakes(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        found = checker.Checker(compile(text, path, "exec", checker.ast.PyCF_ONLY_AST), path).messages
    except SyntaxError as error:
        return [f"{path}:{error.lineno}: {error.msg}"]
    lines = text.splitlines()
    is_excused = lambda message: "# noqa" in lines[message.lineno - 1] or isinstance(message, STARS)  # noqa: E731
    return [str(message) for message in sorted(found, key=lambda message: message.lineno) if not is_excused(message)]


if __name__ == "__main__":
    wrong = [line for path in sys.argv[1:] for line in flakes(path)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
