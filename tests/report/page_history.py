"""The page of a history: charts over time, changes with their causes, all series."""
import shutil
import subprocess

from browser import contrast_problems
from page_layout import layout_problems


def make_page(kernelbatch, history_files, folder):
    """80 days of 24 series, three of which take 5 % longer from the middle on."""
    results = folder / "months"
    subprocess.run([history_files, results, "80", "24"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.copy(next(results.rglob("*.h5")), results / "cut.h5")
    subprocess.run([kernelbatch, "report", results / "run0.h5"], check=True, stdout=subprocess.DEVNULL)
    (results / "cut.h5").write_bytes((results / "cut.h5").read_bytes()[:5000])
    page = folder / "months.html"
    done = subprocess.run([kernelbatch, "history", results, "--html", page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 6 and "cut.h5" in done.stderr + done.stdout, (done.returncode, done.stderr)
    return page


def check_history(browser, page):
    for width in (1920, 1280, 400):
        browser.open(page, width=width)
        assert browser.texts("main h2") == ["Over time", "All series"], browser.texts("main h2")
        # Unreadable files are listed at the top.
        assert any("cut.h5" in note for note in browser.texts("main > .note")), browser.texts("main > .note")
        assert browser.run("document.querySelectorAll('#series svg .run').length") == 80
        assert browser.run("document.querySelectorAll('#series svg .change').length") == 1
        rows = browser.run("[...document.querySelectorAll('#all tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        assert len(rows) == 24 and sum(row[6] != "" for row in rows) == 3, rows
        assert rows[0][6].startswith(("+4.", "+5.")), rows[0]
        # The change and its causes, by pointer and by keyboard.
        browser.move("#series svg .change")
        tip = browser.tip()
        assert tip.startswith(("+4.", "+5.")) and "→" in tip and "driver: 580.1 → 580.2" in tip, tip
        browser.run("document.querySelector('#series svg').focus()")
        browser.key("ArrowLeft")
        assert ".h5" in browser.run("document.getElementById('tip').textContent")
        browser.key("Escape")
        assert layout_problems(browser) == [], layout_problems(browser)
        browser.picture(f"history-{width}.png")
    assert contrast_problems(browser) == [], contrast_problems(browser)
    # Another series by the choice, and by its name in the table.
    label = lambda: browser.run("document.querySelector('#series svg').getAttribute('aria-label')")
    first = label()
    browser.run("const chosen = document.querySelector('#series select'); chosen.selectedIndex = 2; chosen.dispatchEvent(new Event('change'))")
    assert label() != first
    browser.click("#all tbody tr:first-child button")
    assert label() == first
    browser.print(page, "#series, #series svg", "history.pdf")
    # A click on a run opens its report, which is next to its file.
    browser.open(page)
    report = page.parent / "months" / "run0.html"
    browser.page = report.resolve().as_uri()
    browser.click("#series svg .run")
    browser.wait_for("document.documentElement?.dataset.ready && location.href", browser.page)
    assert "Summary" in browser.texts("main h2")
