"""Opens reports in headless Chromium, over the DevTools protocol on a pipe, and uses them as a reader does.

Usage: page_test.py KERNELBATCH MANY_CASES EVIDENCE_FILE HISTORY_BENCHMARK SEARCH_FILE VIEW_FILE OUTPUT_FOLDER. Screenshots
and PDFs stay in OUTPUT_FOLDER.
Exits 77 without Chromium.
"""
import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from browser import Browser, contrast_problems
from page_change import check_change, make_pages
from page_history import check_history, make_page
from page_layout import layout_problems
from page_tuning import check_found, check_many, check_odd, make_searches
from page_view import check_view
from page_why import check_absence, check_print, check_reasons, check_roofline

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium is None:
    print("skipped: no chromium")
    sys.exit(77)
kernelbatch, many_cases, evidence_file, history_files, search_file, view_file, output = *sys.argv[1:7], Path(sys.argv[7])
output.mkdir(parents=True, exist_ok=True)


def check_use(browser, path):
    browser.open(path)
    sections = browser.texts("main h2")
    assert sections[0].startswith("Failures"), sections
    for name in ("Summary", "Speed-ups", "Why", "Roofline", "Scaling", "Samples", "Launches", "All results", "Environment"):
        assert name in sections, (name, sections)
    browser.picture("light.png")
    assert contrast_problems(browser) == [], contrast_problems(browser)

    # Pointer: a bar of the speed-ups has a description.
    browser.move("#speed-ups rect.mark")
    tip = browser.tip()
    assert "×" in tip, tip
    browser.picture("tip.png", whole=False)
    # Keyboard: arrows go through the marks.
    browser.run("document.querySelector('#roofline figure svg').focus()")
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
    # The filter keeps rows with every word; pages turn.
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
        label = lambda: browser.run(f"document.querySelector('#{chart} figure svg').getAttribute('aria-label')")
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
    # On a telephone nothing is wider than the screen except scrollable elements.
    browser.open(path, width=390, height=800)
    assert layout_problems(browser) == [], layout_problems(browser)
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
        assert any("s[threadIdx.x]" in line and "racy.yaml:" in line for line in lines), lines
        marks = browser.texts("#findings .mark-of")
        assert sorted(marks) == ["init", "race"], marks
        assert layout_problems(browser) == [], layout_problems(browser)
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


def check_files(kernelbatch, folder):
    """`report --svg` and `--pdf` write what the page shows."""
    results = folder / "counted.h5"
    report = [kernelbatch, "report", results]
    subprocess.run([*report, "--svg", "times"], check=True, stdout=subprocess.DEVNULL)
    chart = ElementTree.parse(folder / "counted.svg")
    space = "{http://www.w3.org/2000/svg}"
    assert chart.getroot().tag == f"{space}svg" and len(chart.findall(f".//{space}rect")) >= 2
    assert "var(" not in (folder / "counted.svg").read_text()
    refused = subprocess.run([*report, "--svg", "tims"], capture_output=True, text=True)
    assert refused.returncode == 2 and "did you mean 'times'?" in refused.stderr, refused
    subprocess.run([*report, "--pdf", "--title", "A title"], check=True, stdout=subprocess.DEVNULL)
    assert (folder / "counted.pdf").read_bytes().startswith(b"%PDF-")
    if pdftotext := shutil.which("pdftotext"):
        text = subprocess.run([pdftotext, folder / "counted.pdf", "-"], check=True, capture_output=True, text=True).stdout
        assert "A title" in text and "All results" in text, text


def main():
    with tempfile.TemporaryDirectory() as folder:
        pages = {}
        for cases in (1, 60, 5000):
            results = Path(folder) / f"{cases}.h5"
            subprocess.run([many_cases, results, str(cases)], check=True)
            pages[cases] = Path(folder) / f"{cases}.html"
            subprocess.run([kernelbatch, "report", results, "-o", pages[cases]], check=True, stdout=subprocess.DEVNULL)
            assert pages[cases].stat().st_size <= 10_000_000
        for name, arguments in {"counted": ["1"], "refused": ["1", "refused"]}.items():
            results = Path(folder) / f"{name}.h5"
            subprocess.run([evidence_file, results, *arguments], check=True)
            pages[name] = Path(folder) / f"{name}.html"
            subprocess.run([kernelbatch, "report", results, "-o", pages[name]], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([view_file, Path(folder) / "view.h5"], check=True)
        subprocess.run([kernelbatch, "report", Path(folder) / "view.h5"], check=True, stdout=subprocess.DEVNULL)
        (Path(folder) / "racy.yaml").write_text(RACY)
        checked = subprocess.run([kernelbatch, "run", "-q", "--sanitize", "-o", Path(folder) / "racy.h5",
                                  Path(folder) / "racy.yaml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert checked.returncode == 1, checked.returncode
        subprocess.run([kernelbatch, "report", Path(folder) / "racy.h5", "-o", Path(folder) / "racy.html"], check=True,
                       stdout=subprocess.DEVNULL)
        check_files(kernelbatch, Path(folder))
        browser = Browser(chromium, Path(folder) / "profile", output)
        try:
            check_view(browser, Path(folder) / "view.html", Path(folder))
            check_use(browser, pages[60])
            check_reasons(browser, pages["counted"])
            check_roofline(browser, pages["counted"])
            check_print(browser, pages["counted"])
            check_absence(browser, pages[60], pages["refused"])
            check_findings(browser, Path(folder) / "racy.html")
            check_change(browser, make_pages(kernelbatch, Path(folder)))
            check_history(browser, make_page(kernelbatch, history_files, Path(folder)))
            found, odd, many = make_searches(kernelbatch, search_file, Path(folder))
            check_found(browser, found)
            check_odd(browser, odd)
            check_many(browser, many)
            browser.open(pages[1])
            assert not browser.texts("#tuning")
            assert not browser.texts("main h2")[0].startswith("Failures")
            browser.picture("one-case.png")
            browser.open(pages[5000])
            # Aggregated and in pages: as readable as a small one.
            assert browser.run("document.querySelectorAll('tbody tr').length") < 300
            assert browser.run("document.querySelectorAll('svg .mark').length") < 3000
            assert len(browser.texts("#why h3")) == 6 and "4,500 more cases" in browser.run("document.getElementById('why').textContent")
            browser.picture("many-cases.png")
            assert browser.problems == [], browser.problems
        finally:
            browser.close()
    print(f"the report works; pictures are in {output}")


if __name__ == "__main__":
    main()
