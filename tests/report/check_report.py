# SPDX-License-Identifier: Apache-2.0
"""The page of `meridian report`, against `stats --json`, h5py, and in a browser. Usage: check_report.py MERIDIAN CLOCK_TRACES CHECK"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from browser import Browser

MERIDIAN, CLOCK_TRACES = sys.argv[1:3]
HOSTILE = "n<script>alert(1)</script>&\"'</title>"
PAGE = "globalThis.meridian.page"
LINE = f"{PAGE}.line"


def run(*words, codes=(0,)):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def trace(directory, scenario="ring", hosts=4, seconds=2, name=None):
    run(CLOCK_TRACES, "write", directory, scenario, 1, hosts, seconds)
    if name is not None:
        import h5py

        for number, path in enumerate(sorted(directory.glob("rank-*.h5"))):
            with h5py.File(path, "r+") as file:
                file.attrs["hostname"] = f"{name}{number // 2}"
                file.attrs["executable"] = f"/bin/{name}"
    run(MERIDIAN, "merge", directory, "--quiet", codes=(0, 2))
    return directory


def page_of(directory):
    done = run(MERIDIAN, "report", directory)
    page = directory / "report.html"
    assert done.stdout == f"Report in {page}\n", done.stdout
    return page


def data_of(page):
    elements = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', page.read_text())
    return {name: json.loads(text) for name, text in elements}


def stats(directory):
    return json.loads(run(MERIDIAN, "stats", directory, "--json").stdout)


def events_of(directory):
    """(rank, thread) -> its events in order of time as (enter, duration, name), read by h5py as merged/FORMAT.md says."""
    import h5py
    import numpy

    with h5py.File(directory / "merged.h5", "r") as file:
        enter, duration = numpy.cumsum(file["events/enter_step_ns"][:]), file["events/duration_ns"][:]
        location = file["events/location"][:]
        call = numpy.empty(len(location), int)
        call[numpy.lexsort((location, numpy.arange(len(location)) // 65536))] = file["events/call"][:]
        names = file["calls/name"].asstr()[:]
        threads = list(zip(file["threads/rank"][:].tolist(), file["threads/thread"][:].tolist()))
    events = {thread: [] for thread in threads}
    for row in range(len(enter)):
        events[threads[location[row]]].append((int(enter[row]), int(duration[row]), names[call[row]]))
    return events


def check_the_page_needs_nothing_from_elsewhere():
    with tempfile.TemporaryDirectory() as work:
        text = page_of(trace(pathlib.Path(work))).read_text()
    code = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S)
    assert not re.search(r"\bsrc=|\bhref=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)", code)
    assert "default-src 'none'" in code
    assert len(text) < 1_000_000, len(text)


def check_names_from_the_trace_are_text():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work), name=HOSTILE))
        assert HOSTILE not in page.read_text() and "<script>alert" not in page.read_text()
        with Browser() as browser:
            browser.open(f"file://{page}")
            assert HOSTILE.split("/")[-1] in browser.evaluate("document.querySelector('h1').textContent")
            assert browser.evaluate("document.querySelectorAll('#main script, #header script').length") == 0
            assert browser.errors == [], browser.errors


def check_a_browser_shows_it_without_an_error():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            assert browser.evaluate("document.documentElement.dataset.ready") == "yes"
            sections = browser.evaluate("[...document.querySelectorAll('main section')].map((s) => s.id)")
            for section in ("efficiency", "problems", "timeline", "ranks", "communication", "waiting", "iterations", "paths", "clocks", "findings", "tables"):
                assert section in sections, section
            assert browser.errors == [], browser.errors
            assert browser.requests == [f"file://{page}"], browser.requests
            bottom = browser.evaluate("document.querySelector('.legend').getBoundingClientRect().bottom")
            assert bottom <= 800, f"the first screen has everything down to the legend: {bottom}"
            unnamed = browser.evaluate("[...document.querySelectorAll('button, input, canvas, section')].filter((e) => !(e.textContent.trim() || e.ariaLabel "
                                       "|| e.labels?.length || e.getAttribute('aria-labelledby'))).map((e) => e.outerHTML)")
            assert unnamed == [], unnamed


def check_its_numbers_are_those_of_stats():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            # Numbers in a browser have 53 bits.
            as_numbers = {"parse_int": float, "parse_float": float}
            got = json.loads(browser.evaluate(f"JSON.stringify({PAGE}.summary)"), **as_numbers)
            assert got == json.loads(json.dumps(wanted), **as_numbers)
            factors = browser.evaluate("Object.fromEntries([...document.querySelectorAll('[data-factor]')].map((e) => [e.dataset.factor, e.textContent]))")
            row = next(row for row in wanted["efficiencies"] if row["scope"] == "run")
            assert factors["parallel"] == f"{row['parallel']:.1%}".replace("%", " %"), factors
            assert len(factors) == 4 and factors["load_balance"] == f"{row['load_balance']:.1%}".replace("%", " %")
            shares = browser.evaluate(f"meridian.instances.readShares({PAGE}.data.rank_shares)")
            assert [(share["rank"], share["share"]) for share in shares] == [(rank["rank"], round(rank["mpi_share"], 4)) for rank in wanted["ranks"]]
            cells = browser.evaluate(f"meridian.matrix.read({PAGE}.data.matrix).then((m) => m.ranks.cells)")
            assert cells == [{"from": pair["source"], "to": pair["dest"], "messages": pair["messages"], "bytes": pair["bytes"]} for pair in wanted["pairs"]]
            texts = browser.evaluate("[...document.querySelectorAll('.problems p')].map((e) => e.textContent)")
            assert texts == [f"{row['text']} {row['remedy']}" for row in wanted["problems"]]
            browser.evaluate("document.querySelector('#table-functions').open = true")
            browser.frame()
            cells = browser.evaluate("[...document.querySelectorAll('#table-functions tbody tr:not(.space) td:first-child')].map((e) => e.textContent)")
            assert cells == [row["name"] for row in wanted["functions"]][: len(cells)] and cells


def check_its_events_are_those_of_the_merged_file():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, events = page_of(directory), events_of(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            rows = browser.evaluate(f"{PAGE}.data.rows.map((r) => [r.rank, r.thread])")
            got = browser.evaluate(f"(() => {{ const d = {PAGE}.data, s = d.sets[0]; return {{ first: s.first, enter: [...s.enter], duration: [...s.duration], "
                                   "call: [...s.call].map((c) => d.calls[c]) }; })()")
        for number, row in enumerate(rows):
            span = slice(got["first"][number], got["first"][number + 1])
            assert list(zip(got["enter"][span], got["duration"][span], got["call"][span])) == events[tuple(row)], row
        assert got["first"][-1] == sum(map(len, events.values())) > 1000


def check_its_bins_hold_the_time_in_each_state():
    classes = {"compute": ["compute"], "sleep": ["sleep"], "unknown": ["unknown"], "io": ["file access"], "mpi-transfer": ["MPI transfer"],
               "mpi-wait": ["wait for a message or access", "wait in a collective"], "sync-wait": ["wait for a thread"], "ready": ["no processor"]}
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            sums = browser.evaluate(f"(() => {{ const d = {PAGE}.data, l = d.levels.levels[0], n = d.classes.length, sums = {{}}; d.rows.forEach((r, row) => d.classes.forEach((c, k) => "
                                    "{ let s = 0; for (let b = 0; b < l.bins; ++b) s += l.shares[(row * n + k) * l.bins + b]; sums[`${r.rank} ${c}`] = s / 255 * l.binNs / 1e9; })); return sums; })()")
            bins = browser.evaluate(f"{PAGE}.data.levels.levels[0].bins")
        whole = wanted["run"]["time_s"]
        for row in wanted["states"]:
            got = sum(sums[f"{row['rank']} {name}"] for name in classes[row["state"]])
            # A share is a whole number of 255ths of a bin, at least one: half of that, or one, too much in each bin at most.
            assert abs(got - row["total_s"]) <= whole / 255 + whole / bins, (row, got)


def check_zoom_pan_search_and_filters_work_by_keys_and_mouse():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.evaluate(f"{LINE}.canvas.scrollIntoView({{block: 'center'}}); {LINE}.canvas.focus()")
            view = lambda: browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")  # noqa: E731
            width = lambda v: v[1] - v[0]  # noqa: E731
            whole = view()
            browser.key("w")
            assert abs(width(view()) / width(whole) - 0.7) < 1e-9
            before = view()
            browser.key("d")
            assert view()[0] > before[0] and abs(width(view()) - width(before)) < 1
            browser.key("f")
            assert view() == whole
            box = browser.evaluate(f"(() => {{ const b = {LINE}.canvas.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()")
            x, y = box[0] + 132 + (box[2] - 132) * 0.25, box[1] + 40
            browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-500)
            browser.frame()
            zoomed = view()
            at = whole[0] + 0.25 * width(whole)
            assert width(zoomed) < 0.6 * width(whole) and zoomed[0] < at < zoomed[1], "the wheel zooms at the pointer"
            browser.mouse("mousePressed", x, y, button="left", clickCount=1)
            browser.mouse("mouseMoved", x - 100, y, button="left", buttons=1)
            browser.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
            assert view()[0] > zoomed[0] and abs(width(view()) - width(zoomed)) < 1, "a drag pans"
            browser.evaluate(f"{LINE}.fit()")
            browser.key("/")
            assert browser.evaluate("document.activeElement.id") == "search"
            for letter in "MPI_Recv":
                browser.key(letter)
            found = int(browser.evaluate("document.querySelector('#found').textContent").split()[0])
            assert found == browser.evaluate(f"{PAGE}.data.sets[0].call.filter((c) => {PAGE}.data.calls[c].includes('MPI_Recv')).length") > 10
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter")
            pinned = browser.evaluate(f"{PAGE}.data.calls[{LINE}.pin.set.call[{LINE}.pin.event]]")
            assert pinned == "MPI_Recv", pinned
            browser.evaluate(f"{LINE}.canvas.focus()")
            first = browser.evaluate(f"{LINE}.pin.event")
            browser.key("n")
            assert browser.evaluate(f"{LINE}.pin.event") > first
            browser.evaluate("(() => { const i = document.querySelector('#filter-ranks'); i.value = '1-2'; i.dispatchEvent(new Event('input')); })()")
            assert browser.evaluate(f"{LINE}.rows.filter((id) => id >= 0).map((id) => {PAGE}.data.threads[id].rank)") == [1, 2]
            browser.evaluate("(() => { const i = document.querySelector('#filter-ranks'); i.value = '1-'; i.dispatchEvent(new Event('input')); })()")
            assert browser.evaluate("document.querySelector('#filter-ranks').ariaInvalid") == "true"
            browser.evaluate("document.querySelector('#table-waits').open = true")
            browser.frame()
            browser.evaluate("document.querySelector('#table-waits [data-column=count] button').click()")
            counts = browser.evaluate(f"{PAGE}.tables.made.waits.rows.map((r) => r.count)")
            assert counts == sorted(counts, reverse=True)
            assert browser.errors == [], browser.errors


def check_a_problem_leads_to_its_longest_wait():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), scenario="ring")
        page = page_of(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            waits = browser.evaluate(f"{PAGE}.data.waits")
            assert waits, "the longest waits are on the page"
            wait = waits[0]
            browser.evaluate(f"{PAGE}.show({{function: {json.dumps(wait['function'])}, place: {json.dumps(wait['place'])}}})")
            view = browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")
            assert view[0] <= wait["begin_ns"] and wait["end_ns"] <= view[1]
            assert view[1] - view[0] <= 5.1 * (wait["end_ns"] - wait["begin_ns"]) + 10
            enter = browser.evaluate(f"{LINE}.pin && {LINE}.pin.set.enter[{LINE}.pin.event]")
            assert enter == wait["begin_ns"]


def check_rows_copy_as_tab_separated_values():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
            browser.evaluate("document.querySelector('#table-ranks').open = true")
            browser.frame()
            browser.evaluate("[...document.querySelectorAll('#table-ranks button')].find((b) => b.textContent === 'copy').click()")
            count = len(wanted["ranks"])
            browser.wait(f"document.querySelector('#table-ranks .tools .faint').textContent === '{count} rows copied'")
            lines = browser.evaluate("navigator.clipboard.readText()").splitlines()
            column = lines[0].split("\t").index("rank")
            assert [int(line.split("\t")[column]) for line in lines[1:]] == [rank["rank"] for rank in wanted["ranks"]]
            assert browser.errors == [], browser.errors


def check_a_call_leads_to_the_one_that_it_waited_for():
    """`n` chooses the first call in view, `c` goes to the causer, whose enter ends the wait; its message is drawn."""
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.evaluate(f"{LINE}.canvas.focus()")
            browser.key("n")
            assert browser.evaluate(f"{LINE}.pin.event") == 0
            wait = browser.evaluate(
                f"(() => {{ const s = {PAGE}.data.sets[0], k = s.wait_event.findIndex((e, i) => s.wait_kind[i] === 0 && s.message_to.includes(e)); {LINE}.choose({{ set: s, event: s.wait_event[k] }}, true); "
                "return { rank: s.causer_rank[k], enter: s.enter[s.wait_event[k]] + s.causer_enter[k] }; })()")
            browser.frame()
            assert browser.evaluate(f"{LINE}.overlay.drawn.messages") > 0
            browser.key("c")
            assert browser.evaluate(f"(() => {{ const {{ set, event }} = {LINE}.pin; return [{PAGE}.data.threads[set.rowOf(event)].rank, set.enter[event]]; }})()") == [wait["rank"], wait["enter"]]
            browser.key("c")
            browser.key("Escape")
            assert browser.evaluate(f"{LINE}.pin") is None and browser.errors == [], browser.errors


def check_bounds_of_clocks_are_drawn_where_they_are_wider_than_a_pixel():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            assert browser.evaluate(f"{LINE}.overlay.drawn.bounds") == 0
            show = f"{LINE}.show(s.enter[e] - 20 * b, s.enter[e] + 20 * b); {LINE}.choose({{ set: s, event: e }});"
            bound = browser.evaluate(f"(() => {{ const d = {PAGE}.data, s = d.sets[0], id = d.rows.findIndex((_, i) => d.bound(i, s.enter[s.first[i]]) > 0), e = s.first[id] + 3; "
                                     f"const b = d.bound(id, s.enter[e]); {show} return b; }})()")
            assert bound > 0
            browser.frame()
            assert browser.evaluate(f"{LINE}.overlay.drawn.bounds") in (1, 2), "both ends of the chosen call, of no other one"
            browser.evaluate(f"(() => {{ const {{ set, event }} = {LINE}.pin, b = {bound} / 2; {LINE}.show(set.enter[event] - b, set.enter[event] + b); }})()")
            browser.frame()
            assert browser.evaluate(f"[{LINE}.overlay.drawn.bounds, {LINE}.overlay.drawn.wide]") == [0, 1], "wider than the view"
            browser.key("Escape")
            browser.evaluate(f"{LINE}.choose(null)")
            browser.frame()
            assert browser.evaluate(f"[{LINE}.overlay.drawn.bounds, {LINE}.overlay.drawn.wide]") == [0, 0]


def check_the_canvas_shows_the_states():
    """In the middle of the longest call of a row, at a zoom where it is wide, the pixels are those of its class."""
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            got = browser.evaluate(
                f"(() => {{ const l = {LINE}, d = l.data, s = d.sets[0]; let best = -1; for (let i = 0; i < s.first[1]; ++i) if (!s.waitOf.has(i) && d.call_classes[s.call[i]] === 1 && "
                "(best < 0 || s.duration[i] > s.duration[best])) best = i; l.shows.path = l.shows.messages = false; const at = s.enter[best], w = s.duration[best]; l.show(at - w, at + 2 * w); "
                "l.isMoving = false; l.draw(); const y = l.y(l.place(0)) + l.rowPx / 2; "
                "const pixel = (t) => [...l.context.getImageData(Math.round(l.x(t)), y, 1, 1).data].slice(0, 3); return [pixel(at + w / 2), pixel(at - w / 2)]; })()")
            assert got[0] == [0x56, 0xB4, 0xE9], got
            assert got[1] != got[0], got
            assert browser.evaluate(f"{LINE}.frames.count") > 1


def check_panning_over_a_million_states_is_measured_and_does_not_stutter():
    """How long a frame takes is printed: machines differ. If it is too long for 60 a second, frames show bins while the view moves."""
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            got = browser.evaluate(
                f"(() => {{ const l = {LINE}, d = l.data, s = d.sets[0], rows = d.rows.length, many = Math.floor(1e6 / rows), n = many * rows, span = d.end_ns - d.begin_ns; "
                "const e = Object.assign(Object.create(Object.getPrototypeOf(s)), s); e.first = Array.from({length: rows + 1}, (_, r) => r * many); e.count = n; "
                "for (const k of ['enter', 'duration', 'call', 'outside', 'flags', 'place', 'calls', 'collective']) e[k] = new Float64Array(n); "
                "const call = d.call_classes.indexOf(1); for (let i = 0; i < n; ++i) { e.enter[i] = d.begin_ns + (i % many) / many * span; e.duration[i] = span / many / 2; e.call[i] = call; } "
                "e.waitOf = new Map(); e.message_from = e.message_to = []; e.windows = [[d.begin_ns, d.end_ns]]; d.sets = [e]; d.levels.levels[0].binNs = 1e18; l.pin = null; l.fit(); "
                "const median = (isMoving) => { const times = []; for (let k = 0; k < 7; ++k) { l.pan(k % 2 ? 0.001 : -0.001); l.isMoving = isMoving; const b = performance.now(); l.draw(); times.push(performance.now() - b); } return times.sort((a, b) => a - b)[3]; }; "
                "const exact = median(false), moving = median(true); return { states: n, exact, moving, exactMs: l.exactMs, coarse: l.frames.coarse }; })()")
        print(f"a frame with {got['states']} states in view: {got['exact']:.1f} ms at rest, {got['moving']:.1f} ms while it moves")
        assert got["states"] >= 999_990 and got["exact"] > 0
        assert got["coarse"] > 0 or got["exactMs"] <= 1000 / 60, got


def check_a_page_replaces_a_page_and_nothing_else():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        first = page_of(directory).read_bytes()
        assert page_of(directory).read_bytes() == first, "the same trace gives the same page"
        note = directory / "note.html"
        note.write_text("mine")
        done = run(MERIDIAN, "report", directory, "-o", note, codes=(1,))
        assert done.stderr == f"meridian: '{note}' exists and is not a report\nhint: choose another file with --output, or remove it\n", done.stderr
        assert note.read_text() == "mine"
        done = run(MERIDIAN, "report", directory, "-o", directory / "gone" / "page.html", codes=(1,))
        assert done.stderr.startswith("meridian: cannot create '"), done.stderr
        done = run(MERIDIAN, "report", directory / "nowhere", codes=(1,))
        assert done.stderr.startswith("meridian: there is no '"), done.stderr
        (directory / "merged.h5").write_bytes((directory / "merged.h5").read_bytes()[:5000])
        (directory / "report.html").unlink()
        done = run(MERIDIAN, "report", directory, codes=(1,))
        assert done.stderr.startswith("meridian: ") and not (directory / "report.html").exists(), done.stderr


def check_the_page_stays_small_however_long_the_trace_is_and_says_what_it_holds():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), scenario="torus", hosts=160, seconds=3)
        page = page_of(directory)
        size, timeline = page.stat().st_size, data_of(page)["timeline"]
        assert size < 5_000_000, size
        assert len(timeline["rows"]) == 128 and sum(len(row.get("members", [0])) for row in timeline["rows"]) >= 160
        assert timeline["events"]["count"] <= 120_000 < timeline["total_events"], (timeline["events"]["count"], timeline["total_events"])
        with Browser() as browser:
            browser.open(f"file://{page}")
            assert browser.evaluate("document.querySelector('#holds').textContent").startswith("The page holds, of the threads that rows are named after, each call of ")
            assert browser.evaluate("document.querySelector('.legend').getBoundingClientRect().bottom") <= 800
            assert browser.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), "nothing is wider than the window"
            group = browser.evaluate(f"{PAGE}.data.rows.findIndex((row) => row.members)")
            before, members = browser.evaluate(f"[{LINE}.lanes.length, {PAGE}.data.rows[{group}].members.length]")
            box = browser.evaluate(f"(() => {{ const b = {LINE}.canvas.getBoundingClientRect(); return [b.x, b.y + {LINE}.y({group}) + {LINE}.rowPx / 2]; }})()")
            browser.click(box[0] + 30, box[1])
            assert browser.evaluate(f"{LINE}.lanes.length") == before + members, "a click on its name unfolds a group"
            rank = browser.evaluate(f"{PAGE}.data.rows[{group}].members[0][0]")
            browser.evaluate(f"(() => {{ const i = document.querySelector('#filter-ranks'); i.value = '{rank}'; i.dispatchEvent(new Event('input')); }})()")
            browser.frame()
            assert browser.evaluate(f"{LINE}.lanes.map((lane) => lane.label.split(' (')[0])") == [f"rank {rank}"]
            busy = browser.evaluate(f"(() => {{ const l = {LINE}, b = l.data.binsOf(l.lanes[0]); return [...b.levels.shares(b.row, l.data.begin_ns, l.data.end_ns)].reduce((a, x) => a + x); }})()")
            assert 0.9 < busy < 1.1, busy
            assert browser.errors == [], browser.errors


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
