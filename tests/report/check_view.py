# SPDX-License-Identifier: Apache-2.0
"""`meridian view`: a real client, a real browser, and requests that it has to refuse. Usage: check_view.py MERIDIAN CLOCK_TRACES CHECK"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from browser import Browser, skip
from check_report import LINE, MERIDIAN, PAGE, events_of, run, stats, trace
from page_data import column, event_rows

SECURE = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin"}


class Server:
    def __init__(self, directory, *words):
        self.process = subprocess.Popen([MERIDIAN, "view", str(directory), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"Report at http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", line)
        if not found:
            error = self.process.communicate()[1]
            if "cannot serve pages" in error:
                skip("this build has no server: libmicrohttpd was not found")
            raise AssertionError((line, error))
        self.port, self.token = int(found[1]), found[2]
        self.url = f"http://127.0.0.1:{self.port}/{self.token}/"
        assert self.process.stdout.readline() == "Ctrl-C ends it.\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()

    def part(self, query):
        status, _, text = self.ask(f"/{self.token}/part?{query}")
        assert status == 200, (status, text)
        return json.loads(text)


def small(work):
    return trace(pathlib.Path(work), hosts=4)


def check_it_serves_the_report_to_who_has_the_address():
    with tempfile.TemporaryDirectory() as work, Server(small(work)) as server:
        status, headers, text = server.ask(f"/{server.token}/")
        assert status == 200 and headers["content-type"] == "text/html; charset=utf-8" and text.startswith("<!DOCTYPE html>")
        assert headers.items() >= SECURE.items(), headers
        assert '"is_served":true' in text
        assert server.ask(f"/{server.token}/", Host=f"localhost:{server.port}")[0] == 200
        assert server.ask(f"/{server.token}/", Host="127.0.0.1:8888")[0] == 200, "the other end of a tunnel"
        with Server(work) as second:
            assert second.token != server.token


def check_a_part_has_the_events_of_the_merged_file():
    with tempfile.TemporaryDirectory() as work:
        directory = small(work)
        with Server(directory) as server:
            rows = json.loads(re.search(r'id="data-timeline">(.*?)</script>', server.ask(f"/{server.token}/")[2])[1])["rows"]
            events = events_of(directory)
            first = min(own[0][0] for own in events.values())
            last = max(enter + duration for own in events.values() for enter, duration, _ in own)
            middle = (first + last) // 2
            part = server.part(f"from={first}&to={middle}&rows=2,0")
            assert part["begin_ns"] == first and part["windows"] == [[first, middle]]
            for (enters, durations), row in zip(event_rows(part["events"]), (2, 0)):
                wanted = [event for event in events[rows[row]["rank"], rows[row]["thread"]] if event[0] < middle]
                assert list(zip(enters, durations)) == [event[:2] for event in wanted], row
            assert sum(column(part["bin_calls"])[: part["bins"]]) == len([event for event in events[rows[2]["rank"], 0] if event[0] < middle])
            # The same bins as by a walk over all events, whatever the part begins with.
            whole, later = server.part(f"from={first}&to={last}&rows=1"), server.part(f"from={middle}&to={last}&rows=1")
            inside = lambda own: [sum(own["shares_of"][c]) * own["bin_ns"] / 255 for c in range(8)]  # noqa: E731
            for own in (whole, later):
                from page_data import inflate

                shares = inflate(own["shares"])
                own["shares_of"] = [shares[c * own["bins"] : (c + 1) * own["bins"]] for c in range(8)]
            assert abs(sum(inside(later)) - (last - middle)) < 0.02 * (last - middle), inside(later)
            assert all(a <= b + 0.02 * (last - first) for a, b in zip(inside(later), inside(whole)))


def check_hostile_requests_are_refused():
    with tempfile.TemporaryDirectory() as work, Server(small(work)) as server:
        own = f"/{server.token}"
        for path in ("/", "/index.html", f"/{'0' * 32}/", own, f"{own[:-1]}/", f"/{server.token.upper() if server.token.upper() != server.token else 'x'}/"):
            status, _, text = server.ask(path)
            assert (status, text) == (404, "there is nothing here: use the address that meridian view printed\n"), (path, status, text)
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/merged.h5", "//etc/passwd", "/..%2fmerged.h5", "/part/../x", "/%00x"):
            status, _, text = server.ask(own + path)
            assert status in (400, 404) and "root:" not in text, (path, status)
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "127.0.0.1:x", "0.0.0.0", "[::2]"):
            assert server.ask(f"{own}/", Host=host)[0] in (400, 403), host
        assert server.ask(f"{own}/", Sec_Fetch_Site="cross-site")[0] == 403
        assert server.ask(f"{own}/", Sec_Fetch_Site="same-origin")[0] == 200
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            assert server.ask(f"{own}/", method)[0] == 405, method
        assert server.ask(f"{own}/", "GET", body="x" * 1000)[0] == 413
        assert server.ask(f"{own}/part?rows={'1,' * 40000}")[0] in (400, 413, 414, 431)
        assert server.ask(f"{own}/", X_Long="x" * 100_000)[0] in (400, 413, 431)
        wrong = ("", "from=0", "from=0&to=10", "from=0&to=10&rows=", "from=10&to=10&rows=0", "from=a&to=10&rows=0", "from=0&to=99999999999999999999&rows=0", "from=0&to=10&rows=99999", "from=0&to=10&rows=-1",
                 "from=0&to=10&rows=0.9", "from=0&to=10&rows=0&x=1", "from=0&to=10&rows=" + ",".join(["0"] * 257))
        for query in wrong:
            status, _, text = server.ask(f"{own}/part?{query}")
            assert status == 400 and text.startswith("the request is malformed: "), (query, status, text)
        for raw in (b"\0\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\0\x01", b"GET / HTTP/9.9\r\n\r\n", b"A" * 100_000):
            with contextlib.closing(socket.create_connection(("127.0.0.1", server.port), timeout=30)) as peer, contextlib.suppress(OSError):
                peer.sendall(raw)
                peer.shutdown(socket.SHUT_WR)
                assert b"200" not in peer.recv(4096).split(b"\r\n")[0]
        assert server.ask(f"{own}/")[0] == 200, "it still serves"


def check_slow_and_many_connections_do_not_stop_it():
    with tempfile.TemporaryDirectory() as work, Server(small(work)) as server:
        peers = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(60)]
        try:
            begin = time.monotonic()
            drips = peers[0]
            for byte in b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ":
                drips.send(bytes([byte]))
            is_open = True
            while is_open and time.monotonic() - begin < 40:
                time.sleep(1)
                try:
                    drips.send(b"x")
                    drips.setblocking(False)
                    is_open = drips.recv(100) != b""
                except BlockingIOError:
                    pass
                except OSError:
                    is_open = False
                drips.setblocking(True)
            assert not is_open, "a request that never ends is ended"
            assert server.ask(f"/{server.token}/")[0] == 200
        finally:
            for peer in peers:
                peer.close()


HOLD = """
import os, socket, sys, time
os.setuid(65534)
peers = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(60)]
print("held", flush=True)
time.sleep(60)
"""


def check_another_user_of_the_machine_cannot_keep_its_connections():
    if os.geteuid() != 0:
        skip("only root can be another user")
    with tempfile.TemporaryDirectory() as work, Server(small(work)) as server:
        with subprocess.Popen([sys.executable, "-c", HOLD, str(server.port)], stdout=subprocess.PIPE, text=True) as other:
            try:
                assert other.stdout.readline() == "held\n"
                # The connections that it may have are open until they have been idle for 10 s.
                with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)) as connection:
                    connection.request("GET", f"/{server.token}/")
                    assert connection.getresponse().status == 200
            finally:
                other.kill()


def check_a_signal_ends_it_and_only_the_loopback_reaches_it():
    with tempfile.TemporaryDirectory() as work:
        directory = small(work)
        before = sorted(directory.iterdir())
        with Server(directory) as server:
            listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
            assert f"0100007F:{server.port:04X}" in listening and f"00000000:{server.port:04X}" not in listening
            taken = run(MERIDIAN, "view", directory, "--port", server.port, codes=(1,))
            assert taken.stderr.startswith(f"meridian: cannot serve on port {server.port} of 127.0.0.1: "), taken.stderr
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(timeout=30) == 0
            assert server.process.stderr.read() == ""
        with Server(directory) as server:
            server.process.terminate()
            assert server.process.wait(timeout=30) == 0
        assert sorted(directory.iterdir()) == before, "nothing is written"
        missing = run(MERIDIAN, "view", directory / "nowhere", codes=(1,))
        assert missing.stderr.startswith("meridian: there is no '"), missing.stderr


def check_a_browser_sees_every_call_of_a_long_trace():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), scenario="torus", hosts=160, seconds=3)
        with Server(directory) as server, Browser() as browser:
            browser.open(server.url)
            assert browser.evaluate("document.querySelector('#holds').textContent").startswith("Every call is there: ")
            # Somewhere the page itself has no call.
            at = browser.evaluate(f"(() => {{ const d = {PAGE}.data, w = d.sets[0].windows; for (let k = 50; k < 950; ++k) {{ const t = d.begin_ns + (d.end_ns - d.begin_ns) * k / 1000; "
                                  "if (!w.some(([a, b]) => a <= t + 1e7 && t - 1e7 < b)) return t; } return null; })()")
            assert at is not None
            browser.evaluate(f"{LINE}.show({at} - 2e5, {at} + 2e5)")
            browser.wait(f"{PAGE}.data.parts.length > 0 && {PAGE}.data.parts.at(-1).set")
            got = browser.evaluate(f"(() => {{ const d = {PAGE}.data, s = d.parts.at(-1).set, id = 0, [from, to] = s.windows[0]; return {{ rank: d.threads[id].rank, from, to, enter: [...s.enter].slice(s.first[id], s.first[id + 1]) }}; }})()")
            events = events_of(directory)[got["rank"], 0]
            assert got["enter"] == [enter for enter, duration, _ in events if enter + duration > got["from"] and enter < got["to"]]
            # A member of a group, in full depth.
            member = browser.evaluate(f"(() => {{ const d = {PAGE}.data, row = d.rows.find((r) => r.members), [rank] = row.members.find(([r]) => r !== row.rank); {LINE}.filterRanks((r) => r === rank); return rank; }})()")
            browser.wait(f"{PAGE}.data.parts.at(-1).set?.has({PAGE}.data.memberOf.get('{member}.0'))")
            got = browser.evaluate(f"(() => {{ const d = {PAGE}.data, s = d.parts.at(-1).set, id = d.memberOf.get('{member}.0'), [from, to] = s.windows[0]; return {{ from, to, enter: [...s.enter].slice(s.first[id], s.first[id + 1]) }}; }})()")
            assert got["enter"] == [enter for enter, duration, _ in events_of(directory)[member, 0] if enter + duration > got["from"] and enter < got["to"]]
            # Its calls have the colours of their functions.
            times = browser.evaluate(
                f"(() => {{ const l = {LINE}, d = l.data, c = d.colourings.find(({{ name }}) => name === 'function'), span = l.view; "
                "const times = meridian.inView.timesByColour(d, c, l.lanes, span), { functions } = meridian.inView.numbersOf(d, l.lanes, span); "
                "return functions.map(({ name, ns }) => [ns, times[c.slotOf(name)]]); })()")
            assert times and all(abs(one - other) < 1 for one, other in times), times
            assert browser.errors == [], browser.errors
            assert all(url.startswith(server.url) for url in browser.requests), browser.requests
            got = json.loads(browser.evaluate(f"JSON.stringify({PAGE}.summary.run)"))
            assert got["calls"] == stats(directory)["run"]["calls"]


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()
