"""Checks that all of a page is readable: charts and tables on screens of any width, and on paper."""
import base64
import re
import shutil
import subprocess

# Texts of charts: outside of their drawing, or overlapping. Tables and texts: wider than their container.
PROBLEMS = """(() => {
    const found = [], width = document.documentElement.clientWidth;
    const shown = element => element.getClientRects().length > 0;
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const svg of document.querySelectorAll("main svg:not(.sign)")) {
        if (!shown(svg)) continue;
        const frame = svg.getBoundingClientRect(), of = svg.closest("section").id;
        const boxes = [...svg.querySelectorAll("text:not(.in-cell)")].map(e => ({text: e.firstChild?.data ?? "", box: e.getBoundingClientRect()})).filter(({text}) => text);
        for (const {text, box} of boxes)
            if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 3)
                found.push(`${of}: "${text}" is outside of its chart`);
        boxes.forEach(({text, box: a}, k) => { for (const {text: other, box: b} of boxes.slice(k + 1))
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
                found.push(`${of}: "${text}" lies on "${other}"`); });
        if (frame.right > width + 1 || frame.left < 0) found.push(`${of}: a chart is wider than the page`);
    }
    for (const cell of document.querySelectorAll("td .status, td .no, td .not-run, td .because")) {
        if (!shown(cell)) continue;
        const box = cell.getBoundingClientRect(), of = cell.closest("section").id;
        if (box.left < 0 || box.right > Math.min(width, cell.closest(".scroll").getBoundingClientRect().right) + 1)
            found.push(`${of}: "${cell.textContent}" must be scrolled to`);
        if (cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).display !== "inline") found.push(`${of}: "${cell.textContent}" is cut off`);
    }
    if (innerWidth <= 400)
        for (const scroll of document.querySelectorAll(".scroll"))
            if (shown(scroll) && scroll.scrollWidth > scroll.clientWidth + 1) found.push(`${scroll.closest("section").id}: a table must be scrolled`);
    return [...new Set(found)];
})()"""


def layout_problems(browser):
    browser.frames()
    return browser.run(PROBLEMS)


def paper_text(browser, name):
    """All printed text without blanks; None if there is no pdftotext. The PDF is kept."""
    pdf = browser.output / name
    pdf.write_bytes(base64.b64decode(browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]))
    if shutil.which("pdftotext") is None:
        print("no pdftotext: what is on paper was not read")
        return None
    done = subprocess.run(["pdftotext", "-raw", pdf, "-"], check=True, stdout=subprocess.PIPE, text=True)
    return re.sub(r"\s", "", done.stdout)
