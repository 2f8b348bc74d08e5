# SPDX-License-Identifier: Apache-2.0
"""Pages of `meridian clocks` for merged traces of simulated hosts. Usage: check_clock_page.py MERIDIAN CLOCK_TRACES CHECK"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MERIDIAN, CLOCK_TRACES = sys.argv[1:3]
SECTIONS = ["table", "models", "drift", "bounds", "residuals", "round-trips", "loops", "domains"]
HOSTILE = "n<script>alert(1)</script>&\"'\x1b[31m"
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


def run(*words, codes=(0,)):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def trace(directory, scenario="ring", hosts=4, seconds=10, host_name=None):
    run(CLOCK_TRACES, "write", directory, scenario, 1, hosts, seconds)
    if host_name is not None:
        import h5py

        for number, path in enumerate(sorted(directory.glob("rank-*.h5"))):
            with h5py.File(path, "r+") as file:
                file.attrs["hostname"] = f"{host_name}{number // 2}"
    run(MERIDIAN, "merge", directory, "--quiet", codes=(0, 2))
    return directory


def page_of(directory):
    done = run(MERIDIAN, "clocks", directory)
    page = directory / "clocks.html"
    assert done.stdout.endswith(f"\nClock report in {page}\n"), done.stdout
    assert sorted(path.name for path in directory.iterdir() if not path.name.startswith("rank-")) == ["clocks.html", "merged.h5"]
    return page.read_text()


class Dom(html.parser.HTMLParser):
    """Sections, and what is drawn in each; every element is closed."""

    VOID = ("meta",)

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.sections, self.tags, self.text, self.points = [], [], [], "", {}
        self.feed(page)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag == "section":
            self.sections.append(attributes["id"])
        if tag == "figure":
            self.points.setdefault(self.sections[-1], []).append(int(attributes["data-points"]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


def check_the_page_has_a_plot_for_everything_the_fit_looks_at():
    with tempfile.TemporaryDirectory() as work:
        dom = Dom(page_of(trace(pathlib.Path(work))))
    assert dom.sections == SECTIONS, dom.sections
    figures = {"drift": 2, "bounds": 2, "residuals": 2, "round-trips": 2, "loops": 1, "domains": 3}
    assert {name: len(points) for name, points in dom.points.items()} == figures, dom.points
    assert all(count >= 3 for points in dom.points.values() for count in points), dom.points
    assert "4 clocks were corrected to that of node" in dom.text
    for word in ("none", "offset", "linear", "regression", "hull", "meridian", "reversed", "T1", "T2", "node0", "node3"):
        assert word in dom.text, word
    numbers = [float(n) for tag, attributes in dom.tags if tag == "path" for n in re.findall(r"-?[\d.]+", attributes["d"])]
    assert len(numbers) > 1000 and max(numbers) < 1000 and min(numbers) > -1000, "something is drawn outside of every plot"


def check_the_page_needs_nothing_from_elsewhere():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
    dom = Dom(page)
    assert len(dom.tags) > 100
    for tag, attributes in dom.tags:
        assert tag not in ("script", "link", "iframe", "img", "object", "embed", "base"), tag
        assert not {"src", "href", "onload", "onclick"} & set(attributes), attributes
    assert "url(" not in page and "@import" not in page and "http" not in page


def check_names_from_the_trace_are_text():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work), host_name=HOSTILE))
    dom = Dom(page)
    assert not any(tag == "script" for tag, attributes in dom.tags)
    assert "n<script>alert(1)</script>&\"'\\x1b[31m3" in dom.text, "the name can be read as it is"
    assert "\x1b" not in page


def check_one_clock_leaves_nothing_to_correct():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), hosts=1)
        dom = Dom(page_of(directory))
        data = json.loads(run(MERIDIAN, "clocks", directory, "--json").stdout)
    assert dom.sections == ["table"] and "it needs no correction" in dom.text
    assert data["domains"] == 1 and data["fit"]["time_ns"] == [] and data["samples"]["time_ns"] == []


def check_models_without_bounds_have_a_page_too():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        for model in ("none", "offset", "linear", "regression", "hull"):
            run(MERIDIAN, "merge", directory, "--quiet", "--clock-model", model)
            dom = Dom(page_of(directory))
            assert dom.sections == SECTIONS and "This model gives no bounds" in dom.text, model
            assert min(dom.points["residuals"] + dom.points["domains"]) > 3, model


def check_json_and_the_merged_file_agree():
    import h5py

    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        data = json.loads(run(MERIDIAN, "clocks", directory, "--json").stdout)
        assert not (directory / "clocks.html").exists()
        with h5py.File(directory / "merged.h5", "r") as file:
            for name, group in file["clocks"].items():
                columns = {column: values[:].tolist() for column, values in group.items()}
                assert columns == data[name], name
                assert len(next(iter(columns.values()))) >= 3, name
                assert all("unit" in values.attrs for column, values in group.items() if column.endswith(("_ns", "_ppm")))
            assert sorted(file["clocks"]) == ["fit", "loops", "round_trip_lengths", "round_trips", "samples"]
            fit = file["clocks/fit"]
            reference = data["reference"]
            assert reference not in fit["domain"][:] and len(set(fit["domain"][:])) == 3
            # The fit satisfies the limits of messages: received after sent.
            samples = file["clocks/samples"]
            kind, residual = samples["kind"][:], samples["residual_ns"][:]
            assert (residual[kind == 1] < 0).all() and (residual[kind == 2] > 0).all() and set(kind) == {0, 1, 2}
            worst = abs(residual[kind == 0]).max()
            assert worst < 2600, f"quick round trips take two latencies more than need be at most, and one is off by {worst} ns"
            trips = file["clocks/round_trips"]
            assert trips["count"][:].sum() == file["clocks/round_trip_lengths/count"][:].sum() == 3 * 200
            assert (trips["min_ns"][:] >= 2 * 1300).all(), "a round trip takes two latencies at least"
    assert data["schema"] == "meridian-clocks" and [m["name"] for m in data["models"] if m["is_chosen"]] == ["meridian"]
    assert len(data["bounds"]["time_ns"]) == len(data["bounds"]["t1_early_ns"]) > 30


def check_the_page_stays_small_however_many_hosts_there_are():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), scenario="torus", hosts=128, seconds=3)
        page = page_of(directory)
        import h5py

        with h5py.File(directory / "merged.h5", "r") as file:
            rows = {name: len(next(iter(group.values()))) for name, group in file["clocks"].items()}
    assert len(page) < 3_000_000, len(page)
    assert max(rows.values()) < 200_000 and rows["fit"] > 127, rows
    dom = Dom(page)
    assert len(dom.points["domains"]) == 24 and "the 24 of 127 with the widest bounds" in dom.text


def check_a_page_replaces_a_page_and_nothing_else():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        assert page_of(directory) == page_of(directory), "the same trace gives the same page"
        note = directory / "note.html"
        note.write_text("mine")
        done = run(MERIDIAN, "clocks", directory, "-o", note, codes=(1,))
        assert done.stderr == (
            f"meridian: '{note}' exists and is not a clock page\nhint: choose another file with --output, or remove it\n"
        ), done.stderr
        assert note.read_text() == "mine"
        done = run(MERIDIAN, "clocks", directory, "-o", directory / "gone" / "page.html", codes=(1,))
        assert done.stderr.startswith("meridian: cannot create '"), done.stderr
        done = run(MERIDIAN, "clocks", directory / "nowhere", codes=(1,))
        assert done.stderr.startswith("meridian: there is no '"), done.stderr


def check_a_browser_shows_the_page():
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        print("no browser here: " + ", ".join(BROWSERS))
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work, "trace"), host_name=HOSTILE)
        page = page_of(directory)
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += [f"--user-data-dir={work}/profile", "--dump-dom", f"file://{directory}/clocks.html"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=os.environ | {"HOME": work})
        except subprocess.TimeoutExpired:
            print("the browser did not get to an end in four minutes")
            sys.exit(77)
        if done.returncode != 0 or "<html" not in done.stdout:
            print(f"the browser does not run here: {done.stderr[-300:]}")
            sys.exit(77)
    seen, written = Dom(re.sub(r"<meta([^>]*)>", "", done.stdout)), Dom(re.sub(r"<meta([^>]*)>", "", page))
    assert seen.sections == written.sections == SECTIONS
    assert seen.points == written.points
    for tag in ("svg", "path", "text", "tr", "td", "figure"):
        count = [sum(name == tag for name, attributes in dom.tags) for dom in (seen, written)]
        assert count[0] == count[1] > 0, (tag, count)
    assert not any(name == "script" for name, attributes in seen.tags)
    assert "n<script>alert(1)</script>&\"'\\x1b[31m3" in seen.text


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
