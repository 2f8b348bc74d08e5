# SPDX-License-Identifier: Apache-2.0
"""The page on two runs, against `compare --json` and the pages of the runs, in a browser. Usage: check_runs.py MERIDIAN CLOCK_TRACES CHECK"""

import json
import pathlib
import sys
import tempfile

from browser import Browser
from check_report import MERIDIAN, data_of, run, stats, trace
from page_data import inflate

FRAMES = "globalThis.meridian.page.frames"
LINES = f"{FRAMES}.map((frame) => frame.contentWindow.meridian.page.line)"
VIEWS = f"{LINES}.map((line) => [line.view.from - line.zero, line.view.to - line.zero].map(Math.round))"


def two_runs(work):
    return [trace(work / name, seconds=seconds) for name, seconds in (("before", 2), ("after", 3))]


def open_both(browser, page):
    browser.open(f"file://{page}")
    browser.wait(f"{FRAMES}.every((frame) => frame.contentDocument?.documentElement?.dataset.ready === 'yes')")


def check_two_runs_are_on_one_page_with_what_compare_says():
    with tempfile.TemporaryDirectory() as work:
        runs, page = two_runs(pathlib.Path(work)), pathlib.Path(work) / "both.html"
        assert run(MERIDIAN, "report", *runs, "-o", page).stdout == f"Report in {page}\n"
        wanted = json.loads(run(MERIDIAN, "compare", *runs, "--json").stdout)
        assert json.loads(inflate(data_of(page)["summary"])) == wanted
        with Browser() as browser:
            open_both(browser, page)
            rows = browser.evaluate("Object.fromEntries([...document.querySelectorAll('[data-subject]')].map((box) => "
                                    "[box.dataset.subject, [...box.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent)]))")
            for subject in {row["subject"] for row in wanted["comparisons"][-1]["changes"]}:
                notable = [row["name"] for row in wanted["comparisons"][-1]["changes"] if row["subject"] == subject and row["notable"]][:10]
                shown = rows.get(subject, [])
                assert len(shown) == len(notable) and all(text.startswith(name) for text, name in zip(shown, notable)), (subject, shown, notable)
            assert "state" in rows and "function" in rows, rows
            time = browser.evaluate("[...document.querySelectorAll('#figures tbody tr')].find((row) => row.cells[0].textContent === 'time').innerText.split('\\t')")
            times = [stats(directory)["run"]["time_s"] for directory in runs]
            assert time == ["time", *(f"{each:.2f} s" for each in times), f"+{100 * (times[1] / times[0] - 1):.1f} %"], (time, times)
            headline = browser.evaluate("document.querySelector('.headline').textContent")
            text = " ".join(run(MERIDIAN, "compare", *runs).stdout.split())
            assert all(sentence in text for sentence in headline.split(". ")), (headline, text)
            assert browser.errors == [], browser.errors
            assert [url for url in browser.requests if url != "about:srcdoc"] == [f"file://{page}"], browser.requests


def check_both_timelines_have_one_scale_and_are_zoomed_together():
    with tempfile.TemporaryDirectory() as work:
        runs, page = two_runs(pathlib.Path(work)), pathlib.Path(work) / "both.html"
        run(MERIDIAN, "report", *runs, "-o", page)
        begins = [next(row["begin_s"] for row in stats(directory)["efficiencies"] if row["scope"] == "run") for directory in runs]
        with Browser() as browser:
            open_both(browser, page)
            first, second = browser.evaluate(VIEWS)
            lengths = [stats(directory)["run"]["time_s"] for directory in runs]
            whole = [-max(begins) * 1e9, max(length - begin for length, begin in zip(lengths, begins)) * 1e9]
            assert first == second and all(abs(a - b) < 2 for a, b in zip(first, whole)), (first, second, whole)
            zeros = browser.evaluate(f"{LINES}.map((line) => line.zero - line.data.begin_ns)")
            assert all(abs(zero - begin * 1e9) < 2 for zero, begin in zip(zeros, begins)), (zeros, begins)
            for leader, view in ((0, [1e8, 3e8]), (1, [2.5e9, 2.6e9])):  # the second is behind the end of the shorter run
                browser.evaluate(f"(() => {{ const line = {LINES}[{leader}]; line.show(line.zero + {view[0]}, line.zero + {view[1]}); }})()")
                browser.wait(f"JSON.stringify({VIEWS}) === JSON.stringify([{view}, {view}].map((v) => v.map(Math.round)))")
            browser.evaluate("document.querySelector('[data-subject=function] button').click()")
            name = browser.evaluate("document.querySelector('[data-subject=function] button').textContent")
            browser.wait(f"{LINES}.every((line) => line.wanted.functions.length > 0)")
            assert browser.evaluate(f"{FRAMES}.map((frame) => frame.contentDocument.getElementById('search').value)") == [name, name]
            assert browser.errors == [], browser.errors


def check_both_timelines_may_be_aligned_at_an_iteration():
    """At one, at one that one of the runs does not have, and again at the end of MPI_Init."""
    choose = "(() => {{ const i = document.getElementById('align'); i.value = '{}'; i.dispatchEvent(new Event('change')); }})()"
    zeros = f"{LINES}.map((line) => line.zero - line.data.begin_ns)"
    with tempfile.TemporaryDirectory() as work:
        runs, page = [pathlib.Path(work) / name for name in ("before", "after")], pathlib.Path(work) / "both.html"
        for directory, calls in zip(runs, (2000, 3000)):
            run(MERIDIAN, "generate", "--ranks", 2, "--calls", calls, directory)
            run(MERIDIAN, "merge", "--quiet", directory)
        run(MERIDIAN, "report", *runs, "-o", page)
        summaries = [stats(directory) for directory in runs]
        begins = []
        for summary in summaries:
            _, phase = max((row["end_s"] - row["begin_s"], -i) for i, row in enumerate(summary["phases"]) if row["unit"] == "iteration")
            begins.append(next(row["begin_s"] for row in summary["iterations"] if row["phase"] == -phase and row["iteration"] == 5))
        with Browser() as browser:
            open_both(browser, page)
            first_zeros = browser.evaluate(zeros)
            browser.evaluate(choose.format(5))
            browser.wait(f"{zeros}.every((zero, i) => Math.abs(zero - {[begin * 1e9 for begin in begins]}[i]) < 2)")
            first, second = browser.evaluate(VIEWS)
            lengths = [summary["run"]["time_s"] for summary in summaries]
            whole = [-max(begins) * 1e9, max(length - begin for length, begin in zip(lengths, begins)) * 1e9]
            assert first == second and all(abs(a - b) < 3 for a, b in zip(first, whole)), (first, second, whole)
            only_after = max(row["iteration"] for row in summaries[0]["iterations"]) + 10
            browser.evaluate(choose.format(only_after))
            browser.wait("document.getElementById('align').getAttribute('aria-invalid') === 'true'")
            browser.evaluate(f"(() => {{ const line = {LINES}[1]; line.show(line.zero + 1000, line.zero + 9000); }})()")
            browser.wait(f"JSON.stringify({VIEWS}) === '[[1000,9000],[1000,9000]]'")
            kept = browser.evaluate(zeros)
            assert all(abs(zero - begin * 1e9) < 2 for zero, begin in zip(kept, begins)), ("both stay where they were", kept, begins)
            browser.evaluate(choose.format(0))
            browser.wait("document.getElementById('align').getAttribute('aria-invalid') === 'false'")
            browser.wait(f"JSON.stringify({zeros}) === '{json.dumps(first_zeros, separators=(',', ':'))}'")
            assert browser.errors == [], browser.errors


def check_a_private_page_on_two_runs_has_no_hosts_and_no_folders():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        runs = [trace(work / "secret" / name, name=f"hostof{name}") for name in ("before", "after")]
        for page, is_private in ((work / "open.html", False), (work / "private.html", True)):
            run(MERIDIAN, "report", *runs, "-o", page, *(["--private"] if is_private else []))
            data = data_of(page)
            pages = [inflate(text).decode() for text in data["timeline"]]
            texts = [page.read_text(), inflate(data["summary"]).decode(), *pages]
            for each in pages:
                (work / "one.html").write_text(each)
                texts.append(inflate(data_of(work / "one.html")["summary"]).decode())
            found = [word for word in ("hostofbefore0", "hostofafter0", "/secret/") if any(word in text for text in texts)]
            assert found == ([] if is_private else ["hostofbefore0", "hostofafter0", "/secret/"]), (page, found)


def check_what_is_no_pair_of_runs_is_refused():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        directory = trace(work / "run")
        done = run(MERIDIAN, "report", directory, directory, directory, codes=(1,))
        assert done.stderr.startswith("meridian: a page shows at most two runs\nhint: "), done.stderr
        done = run(MERIDIAN, "report", directory, work / "nowhere", codes=(1,))
        assert "nowhere" in done.stderr, done.stderr
        note = work / "note.html"
        note.write_text("mine")
        run(MERIDIAN, "report", directory, directory, "-o", note, codes=(1,))
        assert note.read_text() == "mine"


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
