# SPDX-License-Identifier: Apache-2.0
"""Pictures of a report for the documents. Usage: take_pictures.py REPORT.html DIRECTORY"""

import pathlib
import sys

from browser import Browser


def main():
    page, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    with Browser(width=1280, height=800) as browser:
        browser.open(f"file://{page}")
        browser.frame()
        browser.screenshot(directory / "report.webp")
        # Close to the longest wait in the middle of the run, with the call that waited.
        browser.prefer("dark")
        browser.evaluate("(() => { const { page } = globalThis.meridian; page.show(page.data.waits.find((w) => !/init|finalize/.test(w.kind)) ?? page.data.waits[0]); })()")
        browser.evaluate("globalThis.scrollTo(0, 0)")
        browser.frame()
        browser.screenshot(directory / "report-wait.webp")
        assert browser.errors == [], browser.errors


if __name__ == "__main__":
    main()
