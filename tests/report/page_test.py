"""Opens reports in headless Chromium, over the DevTools protocol on a pipe, and uses them as a reader does.

Usage: page_test.py KERNELBATCH MANY_CASES OUTPUT_FOLDER. Screenshots and the PDF stay in OUTPUT_FOLDER. Exits 77
without Chromium.
"""
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
from pathlib import Path

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium is None:
    print("skipped: no chromium")
    sys.exit(77)
kernelbatch, many_cases, output = sys.argv[1], sys.argv[2], Path(sys.argv[3])
output.mkdir(parents=True, exist_ok=True)


class Browser:
    """One page of one browser. Events that a report must not cause are kept in `problems`."""

    def __init__(self, profile):
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

    def open(self, path, width=1280, height=900, theme="light"):
        self.page = path.resolve().as_uri()
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Page.navigate", url=self.page)
        end = time.monotonic() + 60
        while self.run("document.documentElement?.dataset.ready") != "yes":
            assert time.monotonic() < end and not self.problems, (path, self.problems)
            time.sleep(0.05)

    def point(self, selector):
        """The middle of an element that has been scrolled to, once that is drawn: the pointer meets what is drawn."""
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
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    def picture(self, name, whole=True):
        if whole:
            self.run("document.getElementById('tip').hidden = true; scrollTo(0, 0)")
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        (output / name).write_bytes(base64.b64decode(data))

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")


def contrast_problems(browser):
    """Texts of which colour and ground are less than 4.5:1 apart (WCAG 2.1, 1.4.3)."""
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


def check_use(browser, path):
    browser.open(path)
    sections = browser.texts("main h2")
    assert sections[0].startswith("Failures"), sections
    for name in ("Summary", "Speed-ups", "Roofline", "Scaling", "Samples", "Launches", "All results", "Environment"):
        assert name in sections, (name, sections)
    browser.picture("light.png")
    assert contrast_problems(browser) == [], contrast_problems(browser)

    # Pointer: a bar of the speed-ups says what it is.
    browser.move("#speed-ups rect.mark")
    tip = browser.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    assert "×" in tip, tip
    browser.picture("tip.png", whole=False)
    # Keyboard: arrows go through the marks.
    browser.run("document.querySelector('#roofline svg').focus()")
    browser.key("ArrowRight")
    first = browser.run("document.getElementById('tip').textContent")
    browser.key("ArrowRight")
    assert "flop/byte" in first and browser.run("document.getElementById('tip').textContent") != first
    browser.key("Escape")
    assert browser.run("document.getElementById('tip').hidden")

    # A header sorts, twice is the other way round.
    header = "#results th:nth-child(5) button"
    medians = lambda: browser.run("""[...document.querySelectorAll('#results tbody td:nth-child(5)')].map(e => e.textContent)
        .filter(Boolean).map(t => parseFloat(t) * {s: 1, ms: 1e-3, 'µs': 1e-6, ns: 1e-9}[t.split(' ')[1]])""")
    browser.click(header)
    down = medians()
    assert down == sorted(down, reverse=True) and len(set(down)) > 1, down
    browser.click(header)
    assert medians() == sorted(medians()) and medians() != down
    assert browser.run("document.querySelector('#results th:nth-child(5)').ariaSort") == "ascending"
    # The filter keeps what holds every word; pages turn.
    count = lambda: browser.run("document.querySelector('#results .pager span').textContent")
    everything = count()
    browser.run("const i = document.querySelector('#results input'); i.value = 'mse raw'; i.dispatchEvent(new Event('input'))")
    assert count() != everything and set(browser.texts("#results tbody td:nth-child(1)")) == {"mse"}
    browser.run("i.value = ''; i.dispatchEvent(new Event('input'))")
    top = browser.texts("#results tbody tr:first-child")
    browser.click("#results .pager button:last-child")
    assert browser.texts("#results tbody tr:first-child") != top
    # Every chart has its numbers as a table.
    figures = browser.run("document.querySelectorAll('figure').length")
    assert figures >= 4
    assert browser.run("""[...document.querySelectorAll('figure details')].map(d => { d.open = true; return d; }).length""") == figures
    browser.run("new Promise(done => setTimeout(done, 100))")
    assert browser.run("document.querySelectorAll('figure details table tbody tr').length") > figures
    browser.run("document.querySelectorAll('figure details').forEach(d => { d.open = false; })")
    # Choices redraw.
    for chart in ("speed-ups", "scaling", "samples"):
        label = lambda: browser.run(f"document.querySelector('#{chart} svg').getAttribute('aria-label')")
        before = label()
        browser.run(f"const s_{chart[:3]} = document.querySelector('#{chart} select'); s_{chart[:3]}.selectedIndex = 1;"
                    f"s_{chart[:3]}.dispatchEvent(new Event('change'))")
        assert label() != before, chart

    # The other theme.
    ground = lambda: browser.run("getComputedStyle(document.body).backgroundColor")
    light = ground()
    browser.click("#theme")
    assert ground() != light
    assert contrast_problems(browser) == [], contrast_problems(browser)
    browser.picture("dark.png")
    browser.click("#theme")
    assert ground() == light

    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    (output / "report.pdf").write_bytes(pdf)
    # On a telephone nothing is wider than the screen but what scrolls by itself.
    browser.open(path, width=390, height=800)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    browser.picture("narrow.png")
    browser.open(path, theme="dark")
    assert browser.run("document.documentElement.dataset.theme") == "dark"


def check_findings(browser, path):
    """A page of `run --sanitize`: lines with their marks."""
    for width in (1280, 400):
        browser.open(path, width=width)
        heads = browser.texts("#findings h2")
        assert heads == ["Findings (2)"], heads
        lines = browser.texts("#findings .finding .line")
        assert any("s[threadIdx.x]" in line and "racy.cu:" in line for line in lines), lines
        marks = browser.texts("#findings .mark-of")
        assert sorted(marks) == ["init", "race"], marks
        assert browser.run("document.documentElement.scrollWidth") <= width
        browser.picture(f"findings-{width}.png")
    assert contrast_problems(browser) == [], contrast_problems(browser)


RACY = """kernelbatch: 1
name: racy
workload: inline
inputs: {x: {arange: 64, dtype: int32}}
outputs: {y: {shape: [64], dtype: int32}}
variants:
  racy:
    kind: raw
    entry: shift
    grid: 1
    block: 64
    args: [x, y]
    source: |
      extern "C" __global__ void shift(const int* x, int* y) {
        __shared__ int s[65];
        s[threadIdx.x] = x[threadIdx.x];
        y[threadIdx.x] = s[(threadIdx.x + 1) % 64] + s[64];
      }
reference: none
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        pages = {}
        for cases in (1, 60, 5000):
            results = Path(folder) / f"{cases}.h5"
            subprocess.run([many_cases, results, str(cases)], check=True)
            pages[cases] = Path(folder) / f"{cases}.html"
            subprocess.run([kernelbatch, "report", results, "-o", pages[cases]], check=True, stdout=subprocess.DEVNULL)
            assert pages[cases].stat().st_size <= 10_000_000
        (Path(folder) / "racy.yaml").write_text(RACY)
        checked = subprocess.run([kernelbatch, "run", "-q", "--sanitize", "-o", Path(folder) / "racy.h5",
                                  Path(folder) / "racy.yaml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert checked.returncode == 1, checked.returncode
        subprocess.run([kernelbatch, "report", Path(folder) / "racy.h5", "-o", Path(folder) / "racy.html"], check=True,
                       stdout=subprocess.DEVNULL)
        browser = Browser(Path(folder) / "profile")
        try:
            check_use(browser, pages[60])
            check_findings(browser, Path(folder) / "racy.html")
            browser.open(pages[1])
            assert not browser.texts("main h2")[0].startswith("Failures")
            browser.picture("one-case.png")
            browser.open(pages[5000])
            # Aggregated and in pages: as readable as a small one.
            assert browser.run("document.querySelectorAll('tbody tr').length") < 300
            assert browser.run("document.querySelectorAll('svg .mark').length") < 3000
            browser.picture("many-cases.png")
            assert browser.problems == [], browser.problems
        finally:
            browser.close()
    print(f"the report works; pictures are in {output}")


if __name__ == "__main__":
    main()
