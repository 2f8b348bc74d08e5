# SPDX-License-Identifier: Apache-2.0
"""scripts/pages makes pages of all documents: every link leads to a page and a place in it, and nothing comes from a network.

check_pages.py --meridian M
"""

import argparse
import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


class Page(html.parser.HTMLParser):
    """Links, places that can be linked to, and what a browser would load."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.loaded = [], set(), []
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places.update(named[key] for key in ("id", "name") if named.get(key))
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        if tag in ("script", "img", "link") and named.get("rel") not in ("canonical", "next", "prev"):
            self.loaded += [named[key] for key in ("src", "href") if named.get(key)]


def problems_of(folder):
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    yield f"{name} loads {target}"
                continue
            other = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if other.is_dir():
                other /= "index.html"
            if not other.exists():
                yield f"{name}: {target} leads nowhere"
            elif parts.fragment and other in pages and urllib.parse.unquote(parts.fragment) not in pages[other].places:
                yield f"{name}: there is no place {target}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    options = parser.parse_args()
    if shutil.which("mkdocs") is None:
        print("skipped: there is no mkdocs; scripts/install-packages pages")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="meridian-pages-") as temporary:
        folder = pathlib.Path(temporary).resolve() / "pages"
        done = subprocess.run([ROOT / "scripts" / "pages", folder], env=os.environ | {"MERIDIAN": options.meridian},
                              capture_output=True, text=True, timeout=110, check=False)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        wrong = list(problems_of(folder))
        for name in ("README", "docs/TUTORIAL", "docs/COMMANDS", "docs/OPTIONS", "merged/FORMAT"):
            if not (folder / f"{name}.html").exists() and name != "README":
                wrong.append(f"there is no page {name}")
        if "meridian merge" not in (folder / "docs/COMMANDS.html").read_text():
            wrong.append("the page about commands lacks `meridian merge`")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
