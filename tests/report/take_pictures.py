# SPDX-License-Identifier: Apache-2.0
"""Pictures of a report for the documents. Usage: take_pictures.py REPORT.html DIRECTORY"""

import pathlib
import sys

from browser import Browser

LINE = "globalThis.meridian.page.line"


def main():
    page, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    with Browser(width=1280, height=800) as browser:
        browser.open(f"file://{page}")
        browser.frame()
        browser.screenshot(directory / "report.png")
        # Close to the longest wait, with the call that waited.
        browser.evaluate("globalThis.meridian.page.show(globalThis.meridian.page.data.waits[0])")
        browser.evaluate(f"{LINE}.element.scrollIntoView({{block: 'center'}})")
        browser.frame()
        browser.screenshot(directory / "report-wait.png")
        assert browser.errors == [], browser.errors


if __name__ == "__main__":
    main()
