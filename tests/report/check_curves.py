# SPDX-License-Identifier: Apache-2.0
"""Curves below the timeline, in a browser. Usage: check_curves.py MERIDIAN CLOCK_TRACES CHECK"""

import json
import pathlib
import re
import sys
import tempfile

from browser import Browser
from check_report import data_of, page_of, trace


def check_counters_of_the_program_are_curves_from_their_first_value_on():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        data = data_of(page)["timeline"]
        bin_ns = (data["end_ns"] - data["begin_ns"] - 1) // 256 + 1
        own = {"name": "residual", "threads": 4, "bin_ns": bin_ns, "mean": [None] * 64 + [0.5] * 192, "largest": [None] * 64 + [-2] * 64 + [0.75] * 128}
        alone = {**own, "name": "depth", "threads": 1}
        text, count = re.subn(r'"user_counters":\[\]', '"user_counters":' + json.dumps([own, alone]), page.read_text())
        assert count == 1, count
        page.write_text(text)
        figure = "[...document.querySelectorAll('.under figure')].at(-1)"
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            names = browser.evaluate("[...document.querySelectorAll('#counter option')].map((e) => e.textContent)")
            assert names[-2:] == ["residual, mean of 4 threads", "depth"], names
            for number, keys, bounds in ((-2, ["residual, mean of 4 threads", "the largest of them"], "-2 to 0.75"), (-1, ["depth"], "0 to 0.5")):
                browser.evaluate(f"(() => {{ const s = document.querySelector('#counter'); s.value = String({len(names) + number}); s.dispatchEvent(new Event('change')); }})()")
                browser.frame()
                assert browser.evaluate(f"[...{figure}.querySelectorAll('.key')].map((e) => e.textContent)") == keys
                assert browser.evaluate(f"{figure}.querySelector('.faint').textContent").strip() == bounds
                first, last = browser.evaluate(f"{figure}.querySelector('path').getAttribute('d').match(/^M([0-9.]+) .*L([0-9.]+) [0-9.]+$/).slice(1).map(Number)")
                assert abs(first - 250) < 5 and abs(last - 1000) < 10, (first, last)
            assert browser.errors == [], browser.errors


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
