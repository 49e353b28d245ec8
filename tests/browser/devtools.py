"""Drives a headless Chromium over the DevTools protocol, through its debugging pipe: no port, no package."""
import base64
import fcntl
import json
import os
import select
import subprocess
import time


class Timeout(Exception):
    pass


class Browser:
    def __init__(self, program, profile):
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        # Chromium reads file descriptor 3 and writes 4; copies above keep the two from overwriting each other.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (commands, answers)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        arguments = [program, "--headless", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--disable-gpu",
                     "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium refuses to run as root with one
        self.process = subprocess.Popen(arguments, preexec_fn=place, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (commands, answers, *high):
            os.close(fd)
        self._buffer = b""
        self._number = 0
        self.events = []

    def close(self):
        try:
            self.send("Browser.close", wait=False)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self._to)
        os.close(self._from)

    def _message(self, deadline):
        while b"\0" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise Timeout("Chromium did not answer")
            part = os.read(self._from, 1 << 16)
            if not part:
                raise Timeout(f"Chromium has gone, exit {self.process.wait()}")
            self._buffer += part
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, parameters=None, session=None, wait=True, seconds=60):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        deadline = time.monotonic() + seconds
        while wait:
            answer = self._message(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
        return None

    def wait_for(self, method, seconds=60):
        deadline = time.monotonic() + seconds
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._message(deadline))


class Page:
    """One tab, of a given size and theme."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = browser.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self.target = target
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, parameters=None):
        return self.browser.send(method, parameters, self.session)

    def close(self):
        self.browser.send("Target.closeTarget", {"targetId": self.target})

    def look(self, width, theme, media="screen"):
        self.send("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        self.send("Emulation.setEmulatedMedia",
                  {"media": media, "features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self, path):
        self.browser.events.clear()
        self.send("Page.navigate", {"url": "file://" + path})
        self.browser.wait_for("Page.loadEventFired")

    def run(self, expression):
        answer = self.send("Runtime.evaluate",
                           {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Uncaught exceptions, console errors and warnings, failed or forbidden loads."""
        found = []
        for event in self.browser.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("method") == "Network.requestWillBeSent"]

    def key(self, name, code=None, times=1):
        codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "Home": 36, "End": 35}
        for _ in range(times):
            for kind in ("rawKeyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", {"type": kind, "key": name, "code": code or name,
                                                     "windowsVirtualKeyCode": codes[name]})

    def mouse(self, kind, x, y, pressed=False):
        self.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left" if pressed else "none",
                                               "buttons": 1 if pressed else 0, "clickCount": 1 if pressed else 0})

    def screenshot(self, path):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.send("Page.captureScreenshot", {
            "format": "png", "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def pdf(self, path):
        printed = self.send("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
        data = base64.b64decode(printed["data"])
        with open(path, "wb") as file:
            file.write(data)
        return data
