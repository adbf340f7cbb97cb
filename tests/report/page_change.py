"""The page of two files: the file of each row, and the change of times from the first to the second."""
import subprocess

from browser import contrast_problems
from page_layout import layout_problems

# The second file has a variant more, a case less, and a variant that does four times the work.
JOB = """kernelbatch: 1
name: two
device: host
measure: {{preset: quick, calibrate: false, stop: {{min_samples: 12, max_samples: 12}}}}
workload: inline
params: {{n: {sizes}}}
inputs: {{x: {{arange: n, dtype: int32}}}}
variants:
  once: {{kind: elementwise, in: "T x", out: "T y", operation: "y = x + 1"}}
  often: {{kind: elementwise, in: "T x", out: "T y", operation: "y = x; for (int k = 0; k < {turns}; ++k) y = y ^ (y << 1) ^ 1; y = x + 1"}}
{more}
reference:
  cpp: "for (long long k = 0; k < x.size(); ++k) y[k] = x[k] + 1;"
"""
EXTRA = """  twice: {kind: elementwise, in: "T x", out: "T y", operation: "y = x + 1 + 1 - 1"}"""


def make_pages(kernelbatch, folder):
    """A page of two files, and one of two files with equal names."""
    files = []
    for side, (sizes, turns, more) in {"a": ("[20000, 40000]", 20, ""), "b": ("[20000]", 80, EXTRA)}.items():
        (folder / side).mkdir()
        job = folder / side / "two.yaml"
        job.write_text(JOB.format(sizes=sizes, turns=turns, more=more))
        files.append(folder / side / "two.h5")
        subprocess.run([kernelbatch, "run", "-q", "-o", files[-1], job], check=True, stdout=subprocess.DEVNULL)
    page = folder / "two.html"
    subprocess.run([kernelbatch, "report", "--host-times", *files, "-o", page], check=True, stdout=subprocess.DEVNULL)
    return page


def check_change(browser, page):
    for width in (1920, 1280, 400):
        browser.open(page, width=width)
        sections = browser.texts("main h2")
        assert "Change" in sections, sections
        assert sections.index("Change") < sections.index("Summary")
        rows = browser.run("[...document.querySelectorAll('#change .table:last-of-type tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        by_name = {(row[1], row[2]): row for row in rows}
        often = next(row for row in rows if row[1] == "often" and "20000" in row[2])
        # Host times of one run per side decide nothing; the reason is shown.
        assert often[3] == "UNSURE" and "other kernel text" in often[8], often
        assert any(row[3] == "MISSING" for row in rows), by_name
        # Pointer and keyboard read the marks.
        browser.run("document.querySelector('#change svg').focus()")
        browser.key("ArrowRight")
        tip = browser.run("document.getElementById('tip').textContent")
        assert "95 %" in tip and "→" in tip, tip
        browser.key("Escape")
        # All rows show their file: the names are equal, so folders are included.
        names = set(browser.run("[...document.querySelectorAll('#results tbody tr')].map(r => [...r.cells].map(c => c.textContent).find(t => t.endsWith('two.h5')))"))
        assert names == {"a/two.h5", "b/two.h5"}, names
        assert layout_problems(browser) == [], layout_problems(browser)
        browser.picture(f"change-{width}.png")
    assert contrast_problems(browser) == [], contrast_problems(browser)
    browser.print(page, "#change, #change svg", "change.pdf")
