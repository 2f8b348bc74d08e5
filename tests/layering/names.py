# SPDX-License-Identifier: Apache-2.0
"""Each class, struct, union and enum has one definition in its namespace, over the whole product.

Two definitions of one name are undefined behaviour once they meet in one program, and nothing else finds them: the linker keeps
either one's inline functions. Names in an unnamed namespace, in a class or in a function belong to their file and are not compared.

Constants at namespace scope have one definition in the source files of a target, and no name of a constant of a header: cold targets
are compiled many files at a time (MERIDIAN_UNITY), and which ones meet changes with each new file.
"""

import collections
import re
import sys

import rules
from rules import tree

# (qualified name, why it may be defined more than once)
ALLOWED = {}

NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/                                  # comments
      |R"([^(\s]*)\(.*?\)\1"                               # raw strings
      |"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'  # strings and characters, but not the separators of digits
      |^[ \t]*\#(?:\\\n|[^\n])*""",  # preprocessor lines
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\S")
KINDS = {"class", "struct", "union", "enum"}
UNNAMED = "(unnamed)"


CONSTANT = re.compile(r"^(?:inline )?(?:static )?(?:constexpr|const) [\w:<>, *]+?\b(k[A-Z]\w*)\s*(?:\[|=|\{)", re.MULTILINE)


def definition(head):
    """(kind, name) of the namespace or type that the tokens before a brace open; (None, None) for anything else.

    A specialization has arguments behind its name and is none: it shares the name with its template.
    """
    if "namespace" in head:
        return "namespace", "".join(head[head.index("namespace") + 1 :]) or UNNAMED
    depth, kind, name = 0, None, ""
    for at, token in enumerate(head):
        if token in ("<", "(", "["):
            if kind and name and depth == 0:
                return None, None  # a specialization, or a function that returns such a type
            depth += 1
        elif token in (">", ")", "]"):
            depth -= 1
        elif depth != 0:
            continue
        elif token in KINDS and not name:
            kind = token
        elif token == ":":
            break
        elif kind and token != "final" and (token == "::" or head[at + 1 : at + 2] != ["("]):
            name = name + token if token == "::" or name.endswith("::") else token
    return (kind, name) if kind and name else (None, None)


def definitions(text):
    """(qualified name, line) of each type that the text defines at namespace scope."""
    text = NOISE.sub(lambda match: "\n" * match.group().count("\n") + " ", text)
    found, scopes, head = [], [], []
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "{":
            kind, name = definition(head)
            is_at_namespace_scope = all(scope is not None for scope in scopes)
            if kind == "namespace":
                scopes.append(name)
            else:
                if kind and is_at_namespace_scope and UNNAMED not in scopes:
                    found.append(("::".join([*scopes, name]), text.count("\n", 0, match.start()) + 1))
                scopes.append(None)
            head = []
        elif token == "}":
            if scopes:
                scopes.pop()
            head = []
        elif token == ";":
            head = []
        else:
            head.append(token)
    return found


def check_names(root=tree.ROOT):
    places = collections.defaultdict(list)
    for path in rules.sources(root):
        if path.suffix == ".c" or path.parts[0] == "examples":
            continue  # programs of their own
        for name, line in definitions(tree.text(path, root) or ""):
            places[name].append(f"{path}:{line}")
    wrong = [f"{name} is defined in {' and in '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1 and name not in ALLOWED]
    wrong += [f"tests/layering/names.py: remove {name} from ALLOWED" for name in sorted(ALLOWED) if len(places[name]) < 2]
    return wrong


def target_of(path, root):
    """The folder whose CMakeLists.txt compiles the file."""
    return next(folder for folder in path.parents if (root / folder / "CMakeLists.txt").exists())


def check_constants(root=tree.ROOT):
    places, headers = collections.defaultdict(set), {}
    for path in rules.sources(root):
        if path.parts[0] in ("examples", "tests", "pmpi"):  # those are compiled file by file
            continue
        for name in CONSTANT.findall(tree.text(path, root) or ""):
            if path.suffix == ".cpp":
                places[target_of(path, root), name].add(str(path))
            else:
                headers[name] = str(path)
    for (_, name), at in places.items():
        at |= {headers[name]} if name in headers else set()
    return [f"{name} is defined in {' and in '.join(sorted(at))}" for (_, name), at in sorted(places.items()) if len(at) > 1]


if __name__ == "__main__":
    violations = check_names() + check_constants()
    print("\n".join(violations))
    sys.exit(1 if violations else 0)
