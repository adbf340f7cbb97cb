"""A headless Chromium, driven over the DevTools protocol on a pipe."""
import base64
import json
import os
import select
import signal
import subprocess
import time


# Parts of messages of calls that a change of the page interrupts.
NAVIGATED = ("navigated", "execution context")


class Navigated(Exception):
    """Another page is being loaded."""


class Browser:
    """One page of one browser. Events that a report must not cause are collected in `problems`."""

    def __init__(self, chromium, profile, output):
        self.output = output
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def take_pipes():
            # The browser reads commands on 3 and writes answers to 4.
            reader, writer = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--force-color-profile=srgb", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=take_pipes, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.session, self.problems, self.page = 0, b"", None, [], ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.write_end)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        os.close(self.read_end)

    def receive(self):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], 60)
            assert ready, "the browser does not answer"
            data = os.read(self.read_end, 1 << 20)
            assert data, "the browser has ended"
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if any(part in answer.get("error", {}).get("message", "") for part in NAVIGATED):
                    raise Navigated(method)
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.note(answer)

    def note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(what["exceptionDetails"])
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.problems.append(what["entry"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.problems.append(what["args"])
        elif method == "Network.requestWillBeSent":
            url = what["request"]["url"]
            if not url.startswith(("data:", "blob:")) and url.split("#")[0] != self.page:
                self.problems.append(f"request of {url}")

    def run(self, code):
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (code, answer)
        return answer["result"].get("value")

    def open(self, path, width=1280, height=900, theme="light", fragment=""):
        if fragment:
            # From elsewhere: the same page with another fragment would not be loaded.
            self.call("Page.navigate", url="about:blank")
        self.page = path.resolve().as_uri()
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Page.navigate", url=self.page + fragment)
        self.wait_for("document.documentElement?.dataset.ready", "yes")

    def wait_for(self, code, wanted):
        """Until code has this value, also while another page is being loaded."""
        end, value = time.monotonic() + 900, None
        while value != wanted:
            assert time.monotonic() < end and not self.problems, (code, value, self.problems)
            try:
                value = self.run(code)
            except Navigated:
                pass
            if value != wanted:
                time.sleep(0.05)

    def point(self, selector):
        """The middle of an element after scrolling to it and drawing, so that the pointer hits the drawn element."""
        return self.run(f"""(async () => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", behavior: "instant"}});
            for (let k = 0; k < 3; ++k) await new Promise(requestAnimationFrame);
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")

    def move(self, selector):
        x, y = self.point(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector):
        x, y = self.point(selector)
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        try:
            self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
        except Navigated:
            pass  # a link

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    def print(self, path, selector, name):
        """Prints the page, on which no `selector` may be cut off; the PDF is kept."""
        self.open(path, width=720)
        self.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "light"}])
        assert self.run(f"[...document.querySelectorAll({json.dumps(selector)})].every(e => e.getBoundingClientRect().right <= innerWidth)")
        pdf = base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
        assert pdf.startswith(b"%PDF") and len(pdf) > 10_000
        (self.output / name).write_bytes(pdf)
        self.call("Emulation.setEmulatedMedia", media="")

    def picture(self, name, whole=True):
        if whole:
            self.run("document.getElementById('tip').hidden = true; scrollTo(0, 0)")
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, optimizeForSpeed=True)["data"]
        (self.output / name).write_bytes(base64.b64decode(data))

    def frames(self):
        """Waits until changes are drawn and instant scrolling is done."""
        self.run("(async () => { for (let k = 0; k < 3; ++k) await new Promise(requestAnimationFrame); })()")

    def stand_still(self):
        """Makes focus scroll instantly, since scrolling hides the tip."""
        self.run("document.documentElement.style.scrollBehavior = 'auto'")

    def tip(self):
        """Text of the tip; empty if it is hidden."""
        return self.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")


def contrast_problems(browser):
    """Texts with a contrast below 4.5:1 (WCAG 2.1, 1.4.3)."""
    return browser.run("""(() => {
        const parse = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
        const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
            .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
        const ground = element => {
            for (let e = element; e; e = e.parentElement) {
                const colour = parse(getComputedStyle(e).backgroundColor);
                if (colour.length === 3 || colour[3] > 0) return colour;
            }
            return [255, 255, 255];
        };
        const bad = new Set();
        for (const element of document.querySelectorAll("main *, header *, footer *")) {
            const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
            if (!own || !element.getClientRects().length || element.disabled || getComputedStyle(element).opacity < 1) continue;
            const style = getComputedStyle(element), ink = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
            const [a, b] = [light(parse(ink)), light(ground(element))].sort((x, y) => y - x);
            const ratio = (a + .05) / (b + .05);
            if (ratio < 4.5) bad.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
        }
        return [...bad]; })()""")
