# SPDX-License-Identifier: Apache-2.0
"""Numbers of what is in view, time spans, and the view in the address, in a browser. Usage: check_looks.py MERIDIAN CLOCK_TRACES CHECK"""

import json
import pathlib
import sys
import tempfile
import time

from browser import Browser
from check_report import LINE, MERIDIAN, PAGE, data_of, page_of, run, stats, trace
from page_data import inflate

NUMBERS = "globalThis.meridian.inView.numbersOf"
WHOLE = f"{{ from: {PAGE}.data.begin_ns, to: {PAGE}.data.end_ns }}"


def drag(browser, from_share, to_share, **more):
    """Over the timeline, by shares of the width of its plot."""
    x, y, width = browser.evaluate(f"(() => {{ const b = {LINE}.canvas.getBoundingClientRect(); return [b.x + b.width - {LINE}.plotPx, b.y + 40, {LINE}.plotPx]; }})()")
    at = [x + width * share for share in (from_share, to_share)]
    browser.mouse("mousePressed", at[0], y, button="left", clickCount=1, **more)
    browser.mouse("mouseMoved", at[1], y, button="left", buttons=1, **more)
    browser.mouse("mouseReleased", at[1], y, button="left", clickCount=1, **more)
    browser.frame()


def at_rest(browser):
    """Once the address has been written."""
    browser.frame()
    time.sleep(0.3)
    browser.frame()
    return browser.evaluate("location.hash")


def check_the_numbers_in_view_are_those_of_stats():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            found = browser.evaluate(f"{NUMBERS}({PAGE}.data, {LINE}.lanes, {WHOLE})")
            for row in wanted["functions"]:
                own = next(each for each in found["functions"] if each["name"] == row["name"])
                assert own["calls"] == row["count"] and abs(own["ns"] / 1e9 - row["total_s"]) < 1e-6, (row, own)
            assert {each["name"] for each in found["functions"]} == {row["name"] for row in wanted["functions"]}
            assert found["messages"]["count"] == sum(pair["messages"] for pair in wanted["pairs"]) > 100
            waits = {}
            for row in wanted["waits"]:
                waits[row["pattern"]] = waits.get(row["pattern"], 0) + row["total_s"]
            for row in found["waits"]:
                assert abs(row["ns"] / 1e9 - waits[row["name"]]) < 1e-6, (row, waits)
            # A second wait of one call is not on the page.
            assert waits.keys() - {row["name"] for row in found["waits"]} <= {"N x N completion"}, (waits, found["waits"])
            ranks = len(wanted["ranks"])
            assert browser.evaluate("document.querySelector('#in-view summary').textContent").startswith(f"In view: {ranks} rows, ")
            browser.evaluate("document.querySelector('#in-view').open = true")
            browser.wait("document.querySelectorAll('#in-view table').length === 3")
            names = browser.evaluate("[...document.querySelectorAll('#in-view table')[1].querySelectorAll('tbody td:first-child')].map((e) => e.textContent)")
            assert names[: len(found["functions"])] == [row["name"] for row in found["functions"]][: len(names)]
            assert browser.errors == [], browser.errors


def check_a_time_span_has_its_length_and_numbers():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            view = browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")
            drag(browser, 0.25, 0.5, modifiers=8)
            span = browser.evaluate(f"[{LINE}.span.from, {LINE}.span.to]")
            width = view[1] - view[0]
            assert abs(span[0] - view[0] - width / 4) < width / 100 and abs(span[1] - view[0] - width / 2) < width / 100, (view, span)
            assert browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]") == view, "the view stays"
            text = "document.querySelector('#in-view summary').textContent"
            browser.wait(f"{text}.startsWith('Selected: ')")
            browser.evaluate(f"{LINE}.canvas.focus()")
            browser.key("z")
            assert [round(each) for each in browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")] == [round(each) for each in span]
            browser.key("Escape")
            browser.wait(f"{text}.startsWith('In view: ')")
            assert browser.evaluate(f"{LINE}.span") is None and browser.errors == [], browser.errors


def check_a_link_leads_to_the_same_view():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            assert at_rest(browser) == "", "the whole run needs none"
            whole = browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")
            browser.evaluate("(() => { const i = document.querySelector('#filter-ranks'); i.value = '1-2'; i.dispatchEvent(new Event('input')); })()")
            browser.evaluate(f"{LINE}.canvas.focus()")
            browser.key("n")
            browser.evaluate(f"{LINE}.zoom(1 / 32)")
            link = at_rest(browser)
            state = f"[{LINE}.view.from, {LINE}.view.to, {LINE}.pin && {LINE}.pin.event, {LINE}.lanes.map((lane) => lane.label)]"
            before = browser.evaluate(state)
            assert link.startswith("#view=") and before[2] is not None and before[3] == ["node0", "rank 1", "node1", "rank 2"], (link, before)
            browser.evaluate("history.back()")
            browser.wait(f"{LINE}.view.to === {whole[1]} && {LINE}.view.from === {whole[0]}")
        with Browser() as browser:
            browser.open(f"file://{page}{link}")
            browser.frame()
            after = browser.evaluate(state)
            assert [round(each) for each in after[:2]] == [round(each) for each in before[:2]] and after[2:] == before[2:], (before, after)
            assert browser.evaluate("document.querySelector('#filter-ranks').value") == "1-2"
            assert browser.errors == [], browser.errors


def check_a_damaged_link_shows_the_whole_run():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        for hash in ("#view=9-3", "#view=x&call=1.2", "#call=9999.0.5&find=<b>", "#view=99999999999999-99999999999999999", "#ranks"):
            with Browser() as browser:
                browser.open(f"file://{page}{hash}")
                browser.frame()
                inside = browser.evaluate(f"{LINE}.view.from >= {PAGE}.data.begin_ns && {LINE}.view.to <= {PAGE}.data.end_ns && {LINE}.view.to > {LINE}.view.from")
                assert inside and browser.errors == [], (hash, browser.errors)


def check_the_legend_takes_states_out_of_the_picture_and_back():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            counts = f"[0, 1].map((c) => {LINE}.pixels.filter((p) => p === {LINE}.painter.plain[c]).length)"
            whole = browser.evaluate(counts)
            key = "document.querySelector('.legend .c0')"
            browser.evaluate(f"{key}.click()")
            browser.frame()
            assert whole[0] > 0 and browser.evaluate(counts) == [0, whole[1]], "other states stay where they are"
            assert browser.evaluate(f"{key}.ariaPressed") == "false"
            browser.evaluate(f"{key}.click()")
            browser.frame()
            assert browser.evaluate(counts) == whole and browser.errors == [], browser.errors


def check_rows_are_sorted_hidden_and_pinned_by_keys_and_a_link_keeps_it():
    labels = f"{LINE}.lanes.map((lane) => lane.label)"
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        waits = {}
        for row in wanted["states"]:
            waits[row["rank"]] = waits.get(row["rank"], 0) + (row["total_s"] if row["state"] in ("mpi-wait", "sync-wait") else 0)
        with Browser() as browser:
            browser.open(f"file://{page}")
            plain = browser.evaluate(labels)
            browser.evaluate("(() => { const s = document.querySelector('#sort'); s.value = 'wait'; s.dispatchEvent(new Event('change')); })()")
            by_wait = browser.evaluate(labels)
            values = [waits[int(label.split()[1])] for label in by_wait]
            # Values are sums over bins, each of which is rounded.
            assert all(one >= other - 0.01 for one, other in zip(values, values[1:])) and len(values) == len(wanted["ranks"]), (by_wait, values)
            browser.evaluate(f"{LINE}.canvas.focus()")
            where = f"(() => {{ const b = {LINE}.canvas.getBoundingClientRect(); return [b.x, b.y]; }})()"
            box = browser.evaluate(where)

            def press(key, place):
                browser.mouse("mouseMoved", box[0] + 30, box[1] + browser.evaluate(f"{LINE}.y({place}) + {LINE}.rowPx / 2"))
                browser.key(key)
                browser.frame()
                assert browser.evaluate(where) == box, "the timeline stays where it is"

            press("t", 2)
            assert browser.evaluate(labels) == [by_wait[2], by_wait[0], by_wait[1], *by_wait[3:]]
            press("h", 1)
            arranged = browser.evaluate(labels)
            assert arranged == [by_wait[2], by_wait[1], *by_wait[3:]]
            assert browser.evaluate("document.querySelector('#reset-rows').textContent") == "1 hidden, 1 pinned: undo"
            assert browser.evaluate(f"{LINE}.tip.element.children[1].textContent").startswith("on ")
            link = at_rest(browser)
            assert browser.errors == [], browser.errors
        with Browser() as browser:
            browser.open(f"file://{page}{link}")
            assert browser.evaluate(labels) == arranged, link
            # Where rows are scrolled, pinned ones stay, and no row is half covered.
            browser.evaluate(f"{LINE}.rowPx = 60; {LINE}.scroll(90); {LINE}.draw()")
            seen = browser.evaluate(f"{LINE}.placesInView()")
            assert seen[:2] == [0, 2] and browser.evaluate(f"{LINE}.y(2) === {LINE}.y(0) + 60"), seen
            browser.evaluate("document.querySelector('#reset-rows').click()")
            assert browser.evaluate(labels) == by_wait and browser.evaluate("document.querySelector('#reset-rows').hidden")
            browser.evaluate("(() => { const s = document.querySelector('#sort'); s.value = ''; s.dispatchEvent(new Event('change')); })()")
            assert browser.evaluate(labels) == plain and browser.errors == [], browser.errors


def check_rows_are_coloured_by_function_and_by_wait():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.frame()
            texts = "[...document.querySelectorAll('.legend .key')].map((e) => e.textContent)"
            states = browser.evaluate(texts)
            sums = (f"(() => {{ const c = {LINE}.colouring, times = meridian.inView.timesByColour({PAGE}.data, c, {LINE}.lanes, {WHOLE}); "
                    "return Object.fromEntries(c.names.map((name, slot) => [name, times[slot] / 1e9])); })()")
            choose = "(() => {{ const s = document.querySelector('#colour'); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"

            browser.evaluate(choose.format("function"))
            browser.frame()
            named = browser.evaluate(sums)
            assert set(browser.evaluate(texts)) <= named.keys() and browser.evaluate(texts) != states
            bins, whole = browser.evaluate(f"{LINE}.colouring.part.levels.levels[0].bins"), wanted["run"]["time_s"] * len(wanted["ranks"])
            for row in wanted["functions"]:
                assert abs(named.get(row["name"], named["other functions"]) - row["total_s"]) <= whole / 255 + whole / bins, (row, named)
            browser.wait("document.querySelector('#in-view summary').textContent.includes('MPI_')")

            browser.evaluate(choose.format("wait"))
            browser.frame()
            waits = {}
            for row in wanted["waits"]:
                waits[row["pattern"]] = waits.get(row["pattern"], 0) + row["total_s"]
            named = browser.evaluate(sums)
            for name, total in waits.items():
                assert abs(named.get(name, total) - total) <= whole / 255 + whole / bins, (name, total, named)

            # In the middle of the longest wait of a row the pixels are those of its kind, and the legend takes them away.
            pixels = (f"(() => {{ const l = {LINE}, w = l.data.waits[0]; l.shows.path = l.shows.messages = false; l.show(w.begin_ns - 10, w.end_ns + 10); l.isMoving = false; l.draw(); "
                      "const y = Math.round(l.y(l.place(l.data.row(...w.at)))) - 22 + 2, x = Math.floor(l.image.width / 2), p = l.painter, slot = l.colouring.names.indexOf(w.kind); "
                      "return [p.plain[slot], p.hatched[slot], p.background, l.pixels[y * l.image.width + x]]; })()")
            plain, hatched, background, found = browser.evaluate(pixels)
            assert found in (plain, hatched), (plain, hatched, found)
            kind = browser.evaluate(f"{PAGE}.data.waits[0].kind")
            browser.evaluate(f"[...document.querySelectorAll('.legend .key')].find((e) => e.textContent === '{kind}').click()")
            browser.frame()
            assert browser.evaluate(pixels)[3] == background
            assert "colour=wait" in at_rest(browser)
            browser.evaluate(choose.format("state"))
            browser.frame()
            assert browser.evaluate(texts) == states and browser.errors == [], browser.errors


def check_a_call_that_never_returned_is_drawn_until_the_end_of_its_rank():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            pixel = f"(() => {{ const l = {LINE}; l.draw(); const p = l.place(0), y = l.y(p) + 1; return [...l.context.getImageData(Math.round(l.x(l.data.begin_ns + 7.5e8)), y, 1, 1).data].slice(0, 3); }})()"
            before = browser.evaluate(pixel)
            browser.evaluate(f"(() => {{ Object.assign({PAGE}.summary.ranks[0], {{ end: 'signal 9 (SIGKILL)', end_s: 1, end_call: 'MPI_Recv', end_call_s: 0.5 }}); "
                             f"{LINE}.overlay.ends = new meridian.ends.Ends({LINE}); }})()")
            after = browser.evaluate(pixel)
            mix = [round(0.75 * old + 0.25 * new) for old, new in zip(before, (0xB0, 0x00, 0x20))]
            assert max(abs(one - other) for one, other in zip(after, mix)) <= 2, (before, after, mix)
            assert browser.errors == [], browser.errors


def check_a_phone_scrolls_in_one_direction_and_zooms_by_two_fingers():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
            browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
            browser.open(f"file://{page}")
            browser.frame()
            assert browser.evaluate("document.documentElement.scrollWidth") <= 390
            cut = "[...document.querySelectorAll('.problems p')].filter((p) => p.scrollHeight > p.clientHeight + 1).length"
            assert browser.evaluate(cut) == 0, "remedies are there as a whole"
            # The map of many ranks is wider than a phone.
            browser.evaluate("document.querySelector('#waiting').append(meridian.plots.heatMap(Array.from({ length: 128 }, (_, i) => ({ x: i, y: i, value: 1, text: '' })), "
                             "{ xLabel: '', yLabel: '', label: 'wide' }))")
            assert browser.evaluate("document.querySelector('#waiting').lastElementChild.scrollWidth") > 390
            assert browser.evaluate("document.documentElement.scrollWidth") <= 390
            # Functions of C++ have long names.
            browser.evaluate(f"(() => {{ const c = {PAGE}.data.colourings.find(({{ name }}) => name === 'function'); c.names = c.names.map((name) => 'std::' + name.repeat(40)); "
                             "c.keys = c.keys.map((key) => ({ ...key, name: c.names[key.slot] })); document.querySelector('#in-view').open = document.querySelector('details.messages').open = true; "
                             "const s = document.querySelector('#colour'); s.value = 'function'; s.dispatchEvent(new Event('change')); })()")
            browser.wait("document.querySelector('#in-view summary').textContent.includes('std::')")
            browser.frame()
            assert browser.evaluate("document.documentElement.scrollWidth") <= 390
            browser.evaluate("document.querySelector('#in-view').open = document.querySelector('details.messages').open = false")
            browser.evaluate(f"{LINE}.canvas.scrollIntoView({{block: 'center'}})")
            browser.frame()
            box = browser.evaluate(f"(() => {{ const b = {LINE}.canvas.getBoundingClientRect(); return [b.x, b.y + 60, {LINE}.width - {LINE}.plotPx, {LINE}.plotPx]; }})()")
            left = box[0] + box[2]

            def touch(kind, *xs):
                browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": box[1], "id": i} for i, x in enumerate(xs)])

            whole = browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")
            width = whole[1] - whole[0]
            touch("touchStart", left + 0.4 * box[3], left + 0.6 * box[3])
            touch("touchMove", left + 0.3 * box[3], left + 0.7 * box[3])
            touch("touchEnd")
            browser.frame()
            view = browser.evaluate(f"[{LINE}.view.from, {LINE}.view.to]")
            # What was from 0.4 to 0.6 of the run is from 0.3 to 0.7 of the view now.
            assert abs(view[0] - whole[0] - 0.25 * width) < 0.02 * width and abs(view[1] - whole[0] - 0.75 * width) < 0.02 * width, (whole, view)
            assert browser.evaluate(f"{LINE}.pin") is None and browser.errors == [], browser.errors


def check_the_pointer_on_a_message_shows_what_it_is():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.evaluate(f"{LINE}.zoom(1 / 64)")
            browser.frame()
            x, y, lines = browser.evaluate(
                f"(() => {{ const l = {LINE}, box = l.canvas.getBoundingClientRect(), middle = ({{ ends: [a, b, c, d] }}) => [(a + c) / 2, (b + d) / 2]; "
                "const at = (x, y) => meridian.messages.messageAt(l.overlay.messages, x, y); "
                "const isAlone = (each) => { const [x, y] = middle(each); return x > 200 && x < l.width && [-3, 0, 3].every((dx) => [-3, 0, 3].every((dy) => [each, null].includes(at(x + dx, y + dy)))); }; "
                "const near = l.overlay.messages.find(isAlone), [x, y] = middle(near); "
                "return [box.x + x, box.y + y, meridian.messages.describeMessage(l.data, near.set, near.k)]; })()")
            browser.mouse("mouseMoved", x, y)
            browser.frame()
            shown = browser.evaluate(f"[...{LINE}.tip.element.children].map((e) => e.textContent)")
            assert shown[0].startswith("message from rank ") and shown[0] == lines[0] and len(shown) == 3, (shown, lines)
            assert browser.errors == [], browser.errors


def check_a_collective_is_a_band_with_its_last_rank_marked():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
        with Browser() as browser:
            browser.open(f"file://{page}")
            got = browser.evaluate(
                f"(() => {{ const l = {LINE}, d = l.data, s = d.sets[0], own = [...meridian.collectives.collectivesOf(s).values()].find((each) => each.count > 1); "
                "const from = s.enter[own.first], to = s.enter[own.last], all = Array.from(s.enter.keys()).filter((i) => s.collective[i] === s.collective[own.last]); "
                "l.shows.path = false; l.show(from - (to - from), to + (to - from)); l.isMoving = false; l.draw(); "
                "const pixel = (i) => [...l.context.getImageData(Math.round(l.x(s.enter[i])), l.y(l.place(s.rowOf(i))) + l.rowPx / 2, 1, 1).data].slice(0, 3); "
                "return { drawn: l.overlay.drawn.collectives, last: pixel(own.last), first: pixel(own.first), isLast: all.every((i) => s.enter[i] <= to), "
                "count: own.count, all: all.length, sure: meridian.collectives.isCertain(d, s, own), words: meridian.describe.describeCall(d, s, own.first) }; })()")
            ink = [0x1D, 0x24, 0x30] if got["sure"] else [255, 255, 255]
            assert got["drawn"] == 1 and got["isLast"] and got["count"] == got["all"] > 2, got
            assert got["last"] == ink and got["first"] != ink, got
            assert any("came last" in line for line in got["words"]), got["words"]
            assert browser.errors == [], browser.errors


def check_messages_are_filtered_and_a_link_keeps_it():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        page, wanted = page_of(directory), stats(directory)
        all_of_them = sum(pair["messages"] for pair in wanted["pairs"])
        write = "(() => {{ const i = document.querySelector('#message-{}'); i.value = '{}'; i.dispatchEvent(new Event(i.options ? 'change' : 'input')); }})()"
        passed = "document.querySelector('details.messages .faint').textContent"
        with Browser() as browser:
            browser.open(f"file://{page}")
            browser.evaluate(f"{LINE}.zoom(1 / 64)")
            browser.frame()
            shown = browser.evaluate(f"{LINE}.overlay.drawn.messages")
            browser.evaluate(write.format("from", "1-2"))
            browser.frame()
            own = sum(pair["messages"] for pair in wanted["pairs"] if pair["source"] in (1, 2))
            assert browser.evaluate(passed) == f"{own} of {all_of_them} messages", browser.evaluate(passed)
            senders = browser.evaluate(f"{LINE}.overlay.messages.map(({{ set, k }}) => {PAGE}.data.threads[set.rowOf(set.message_from[k])].rank)")
            assert set(senders) == {1, 2} and len(senders) < shown, senders
            browser.evaluate(write.format("comm", "0"))
            assert browser.evaluate(passed) == f"{own} of {all_of_them} messages", "all are in the world"
            browser.evaluate(write.format("bytes", "1 XB"))
            assert browser.evaluate("document.querySelector('#message-bytes').ariaInvalid") == "true"
            browser.evaluate(write.format("bytes", "8 GiB"))
            browser.frame()
            assert browser.evaluate(passed) == f"0 of {all_of_them} messages" and browser.evaluate(f"{LINE}.overlay.drawn.messages") == 0
            browser.evaluate(write.format("bytes", ""))
            link = at_rest(browser)
            assert browser.errors == [], browser.errors
        with Browser() as browser:
            browser.open(f"file://{page}{link}")
            browser.frame()
            assert browser.evaluate(passed) == f"{own} of {all_of_them} messages", link
            browser.evaluate(f"{LINE}.choose({{ set: {PAGE}.data.sets[0], event: {PAGE}.data.sets[0].message_from[0] }})")
            assert "MPI_COMM_WORLD" in browser.evaluate("document.querySelector('.details').textContent")
            assert browser.errors == [], browser.errors


def check_a_private_page_names_no_host_and_no_path():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), name="secretnode")
        for words, is_private in (([], False), (["--private"], True)):
            run(MERIDIAN, "report", directory, *words)
            data = data_of(directory / "report.html")
            texts = [json.dumps(data["about"]), json.dumps(data["timeline"]), inflate(data["summary"]).decode()]
            for secret in ("secretnode0", "secretnode1", "/bin/secretnode"):
                assert any(secret in text for text in texts) == (not is_private), (secret, is_private)
        with Browser() as browser:
            browser.open(f"file://{directory}/report.html")
            browser.frame()
            assert browser.evaluate("document.querySelector('h1').textContent") == "secretnode", "the program keeps its name"
            assert browser.evaluate(f"[...new Set({PAGE}.data.rows.map((row) => row.host))]")[:2] == ["host1", "host2"]
            assert browser.errors == [], browser.errors


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
