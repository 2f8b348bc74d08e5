# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, driven by the Chrome DevTools Protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
SKIPPED = 77


def skip(reason):
    print(reason)
    sys.exit(SKIPPED)


class Browser:
    """One page. `errors`: what it wrote to the console as an error, and exceptions that nobody caught."""

    def __init__(self, width=1280, height=800, patience_s=240):
        program = next((path for path in map(shutil.which, BROWSERS) if path), None)
        if program is None:
            skip("no browser here: " + ", ".join(BROWSERS))
        self.deadline = time.monotonic() + patience_s
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.errors, self.requests, self.number, self.rest = [], [], 0, b""
        from_us, self.write = os.pipe()
        self.read, to_us = os.pipe()

        def pipes():  # the browser reads commands from 3 and answers to 4
            os.dup2(os.dup2(from_us, 100), 3)
            os.dup2(os.dup2(to_us, 101), 4)

        words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe"]
        words += [f"--user-data-dir={self.home.name}", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(words, preexec_fn=pipes, close_fds=False, env=os.environ | {"HOME": self.home.name},
                                        start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)  # its helpers, too
        self.process.wait()
        os.close(self.write)
        os.close(self.read)
        self.home.cleanup()

    def next_message(self):
        while b"\0" not in self.rest:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.read, 1 << 20)
            if not data:
                skip("the browser does not run here")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"].get("exception", {}).get("description") or parameters["exceptionDetails"]["text"])
        if message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.errors.append(str(parameters["args"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        return message

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write, json.dumps(command).encode() + b"\0")
        while True:
            message = self.next_message()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def evaluate(self, code):
        """The value of an expression, or of the promise that it is."""
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (code, result["exceptionDetails"])
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        while self.evaluate("document.documentElement?.dataset.ready ?? ''") == "":
            time.sleep(0.05)

    def wait(self, claim):
        """Returns once an expression is true."""
        while not self.evaluate(claim):
            if time.monotonic() > self.deadline:
                raise TimeoutError(claim)
            time.sleep(0.05)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def frame(self):
        """Returns once what was asked for has been drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def screenshot(self, path):
        """A PNG file, or a smaller WebP file, by its name."""
        form = {"format": "png"} if str(path).endswith(".png") else {"format": "webp", "quality": 80}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **form)["data"]))

    def prefer(self, scheme):
        """scheme: "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
