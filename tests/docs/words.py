# SPDX-License-Identifier: Apache-2.0
"""Documents and the sources of the product use the words of docs/GLOSSARY.md. Each row: what is not
written (a regular expression, any case), what to write instead.

words.py          the violations, as text; exit code 1 when there are any
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tree  # noqa: E402

INSTEAD = [
    (r"\bas (it )?(was )?wanted\b", "filtered"),
    (r"\bclock (jump|set)s?\b|\bjumps? of (a|the) clock", "clock step"),
    (r"\bfollowers?\b", "tracker"),
    (r"\bmeddl(e|es|ed|ing|ers?)\b", "fault injection"),
    (r"\b(untold|unheard|hopeless)\b", "lost, damaged or stale"),
    (r"\bone (time line|line of time)\b", "one timeline"),
    (r"\bcall places?\b|\bplaces? in the source\b", "source location"),
    (r"\bso many (calls|of|as)\b", "at most, that many"),
    (r"\bin vain\b", "without success"),
    (r"\bnobody (can|could) (know|tell|say)\b", "cannot be known"),
    (r"\bwhat (cannot|could not) be told\b", "what is unknown"),
    (r"\bit is said\b|\band it is told\b|\bsays so\b", "reported"),
    (r"\bgoes wrong with\b", "fails"),
    (r"\bas ever\b", "as usual"),
    (r"\bnothing comes of\b", "fails"),
    (r"\bnumbered on\b", "counted on"),
    (r"\binside of itself\b", "recursive"),
    (r"\bno matter what comes of it\b|\bwhatever comes of it\b", "whatever its result"),
    (r"\bwhich it was (nobody|no one)\b", "unknown"),
    (r"\bnobody (knows|says|wants|asks|looks|hears|sees|waits)\b", "unknown, or a passive verb"),
    (r"\bit is (told|said) that\b", "reported"),
    (r"\bas (far|long) as is (known|wanted)\b", "as far as known"),
    (r"\bwhat of (a|the) \w+ was\b", "the parts that were"),
    (r"\bthat (there )?is none\b|\bit is none\b", "it is not a ..."),
    (r"\bcannot be true\b", "is not valid"),
    (r"\bmust be told\b|\bis to be told\b", "must be given"),
    (r"\bput (right|in order)\b", "repaired"),
    (r"\bunder our (eyes|feet)\b", "while it was traced"),
]

def is_held_to_it(path):
    return path.suffix == ".md" or path.parts[0] in (*tree.FOLDERS, "python")


def check_words(root=tree.ROOT):
    wrong = []
    for path in tree.files(root):
        if not is_held_to_it(path):
            continue
        lines = (tree.text(path, root) or "").splitlines()
        for number, line in enumerate(lines, 1):
            # A phrase may go on in the next line.
            window = line + " " + (lines[number].lstrip(" /*#-") if number < len(lines) else "")
            for phrase, instead in INSTEAD:
                for hit in re.finditer(phrase, window, re.IGNORECASE):
                    if hit.start() < len(line):
                        wrong.append(f"{path}:{number}: '{hit.group()}', write: {instead}")
    return wrong


if __name__ == "__main__":
    violations = check_words()
    print("\n".join(violations))
    sys.exit(1 if violations else 0)
