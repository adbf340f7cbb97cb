"""First view and its use: warnings, times, legends, choices in the address, CSV; data from view_file."""
import csv
import io
import re
import time

from browser import contrast_problems
from page_layout import layout_problems, paper_text

VARIANTS = ["reference", "zulu", "yankee", "xray_with_a_name_that_is_longer_than_any_chart_has_room_for", "whiskey", "victor", "uniform",
            "tango", "sierra", "romeo", "quebec", "papa", "oscar", "november", "mike", "lima"]
CASES = 3
TIMED = len(VARIANTS) - 5


def beginnings(texts):
    return [text.split("…")[0] for text in texts]


def check_first(browser, page):
    """Warnings, then the times of a case as the first chart, in the order of the plan."""
    browser.open(page)
    banners = browser.texts("main .banner")
    assert banners[0].startswith("Times are of the host simulation, not of a GPU."), banners
    assert "host Example CPU" in banners[0] and "CPU" in banners[0], banners
    for words in ("Noisy: the calibrated noise of host Example CPU is 30 %", "Suspect, and in no ranking: 3 results (blur papa): a call takes 3 us",
                  "Note on 3 results (blur yankee): the L2 cache is not flushed."):
        assert any(words in banner for banner in banners), (words, banners)
    assert browser.run("document.querySelector('main figure').closest('section').id") == "times"
    figure = "#times figure"
    names = beginnings(browser.texts(f'{figure} text[text-anchor="end"]:not(.strong)'))
    assert len(names) == len(VARIANTS) and all(v.startswith(n) for v, n in zip(VARIANTS, names)), names
    assert browser.texts(f"{figure} figcaption") == ["2 bars cut at 10× the median."], browser.texts(f"{figure} figcaption")
    assert "median time, µs" in browser.texts(f"{figure} text.strong")
    bars = browser.run("""[...document.querySelectorAll('#times rect.mark')].map(e => e.getBoundingClientRect().width)""")
    # From zero: proportional to the times, except the one that is cut.
    assert abs(bars[1] / bars[0] - 20 / 40) < 0.01 and abs(bars[5] / bars[0] - 10 * 24 / 40) < 0.3, bars
    values = browser.texts(f"{figure} text.strong")
    assert "40.0 µs ± 2 %" in values and "3.00 ms ± 2 %" in values, values
    # Results without a time show the reason.
    said = browser.texts(f"{figure} text.no, {figure} text.not-run")
    assert [text.split(":")[0] for text in said] == ["suspect", "verification_failed", "compile_failed", "skipped", "skipped"], said
    browser.move("#times rect.mark")
    assert "40.0 µs ± 2 %" in browser.tip(), browser.tip()
    assert browser.texts("#samples figcaption") == ["3 samples beyond the axis."], browser.texts("#samples figcaption")
    # Everywhere in the order of the plan.
    right = [v for v in VARIANTS[:11]]
    assert browser.texts("#scaling .key") == right and browser.texts("#samples .key") == right
    assert browser.texts("#summary tbody td:nth-child(2)") == VARIANTS
    # Reasons of statuses, how outputs were compared, and the job.
    statuses = browser.texts("#results .status")
    assert "compile_failedcannot compile 'kernel': operation:2:5: expected primary-expression before ';' token" in statuses, statuses
    assert "okthe L2 cache is not flushed" in statuses and "skippedthe device has no cluster launch" in statuses, statuses
    assert "rtol=1e-06 atol=0" in browser.texts("#checks td") and "float32 [20000]" in browser.texts("#checks td")
    assert browser.texts("#job pre") == ["workload: blur  # as it was written\n", "workload: blur\nseed: 20261\n"], browser.texts("#job pre")
    assert browser.run("[...document.querySelectorAll('#job details')].every(d => !d.open)")


def check_looks(browser, page):
    """More variants than hues still look different; legends switch them in all charts."""
    browser.open(page)
    browser.stand_still()
    looks = browser.run("""[...document.querySelectorAll('#times .key path')].map(e => e.getAttribute('d') + e.getAttribute('fill'))""")
    assert len(set(looks)) == len(VARIANTS), looks
    fills = browser.run("[...document.querySelectorAll('#times rect.mark')].map(e => e.getAttribute('fill')).filter(f => f !== 'transparent')")
    assert len(set(fills)) == TIMED and any(fill.startswith("url(") for fill in fills), fills
    patterns = browser.run("[...document.querySelectorAll('#times rect.mark')].map(e => /#([\\w-]+)/.exec(e.getAttribute('fill'))?.[1]).filter(Boolean).every(id => document.getElementById(id))")
    assert patterns
    marks = lambda chart: browser.run(f"document.querySelectorAll('#{chart} figure .mark').length")
    charts = ("times", "speed-ups", "roofline", "scaling", "samples")
    before = {chart: marks(chart) for chart in charts}
    # A table that is open stays so.
    browser.run("document.querySelector('#times details').open = true")
    browser.click('#times .key[data-again="variant-6"]')
    browser.run("new Promise(done => setTimeout(done, 100))")
    assert len(browser.texts("#times details tbody tr")) == len(VARIANTS) - 1
    assert browser.texts('#times .key[aria-pressed="false"]') == ["uniform"] == browser.texts('#scaling .key[aria-pressed="false"]')
    assert all(marks(chart) < before[chart] for chart in charts), ({chart: marks(chart) for chart in charts}, before)
    # By keyboard; the focus does not move.
    browser.run("document.querySelector('#scaling .key').focus()")
    browser.key("Tab")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", text="\r")
    browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter")
    assert browser.run("document.activeElement.textContent") == "zulu" and browser.run("document.activeElement.ariaPressed") == "false"
    assert contrast_problems(browser) == [], contrast_problems(browser)
    browser.click("#scaling .all")
    assert {chart: marks(chart) for chart in charts} == before and not browser.texts('[aria-pressed="false"]')
    # Orders of several workloads are one, in which each keeps its own.
    order = browser.run("mergedOrder([['raw', 'strided', 'plain'], ['raw', 'wide'], ['tensor', 'raw'], ['raw', 'tiled', 'plain']]).join()")
    assert order == "tensor,raw,strided,tiled,plain,wide", order
    assert any("was not measured" in note for note in browser.texts("#roofline .note")), browser.texts("#roofline .note")


def choose(browser, selector, index):
    browser.run(f"(() => {{ const s = document.querySelector('{selector}'); s.selectedIndex = {index}; s.dispatchEvent(new Event('change')); }})()")


def check_address(browser, page):
    """A link or a reload shows the same view."""
    browser.open(page)
    choose(browser, "#times select", 2)
    choose(browser, '#scaling select[aria-label="Shown"]', 1)
    browser.click('#times .key[data-again="variant-1"]')
    browser.run("(() => { const i = document.querySelector('#results input'); i.value = 'ok n=40000'; i.dispatchEvent(new Event('input')); })()")
    browser.click("#results th:nth-child(5) button")
    browser.click("#checks .pager button:last-child")
    view = """[document.querySelector('#times figure svg').ariaLabel, document.querySelector('#scaling figure svg').ariaLabel,
        ...['#results', '#checks'].map(id => [...document.querySelectorAll(`${id} tbody tr`)].map(r => r.textContent).join()),
        document.querySelector('#results input').value, document.querySelectorAll('[aria-pressed="false"]').length].join('\\n')"""
    seen, link = browser.run(view), browser.run("location.hash")
    assert "n=80000" in seen and "bandwidth" in seen and "ok n=40000" in seen and "off=zulu" in link, (seen, link)
    for fragment in (link, "#results" + link[1:].replace("#", "")):
        browser.open(page)
        assert browser.run(view) != seen
        browser.open(page, fragment=fragment)
        assert browser.run(view) == seen, (fragment, browser.run(view), seen)
    # A link to a section keeps the view, and scrolls there; invalid parts are ignored.
    assert browser.run("document.getElementById('results').getBoundingClientRect().top") < 200
    browser.click('#nav a[href="#job"]')
    browser.frames()
    assert browser.run("location.hash").startswith("#job&") and browser.run(view) == seen
    browser.open(page, fragment="#%E0&times.case=no&results.sort=x&results.page=99&off=nobody,%25E0")
    assert len(browser.texts("#times .key")) == len(VARIANTS) and not browser.texts('[aria-pressed="false"]')
    assert browser.texts("#results tbody tr")


def check_csv(browser, page, folder):
    """All rows of a table, with unformatted numbers."""
    browser.open(page)
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.click("#results .csv")
    end = time.monotonic() + 900
    while not (files := list(folder.glob("*.csv"))):
        assert time.monotonic() < end, "no file was saved"
        time.sleep(0.05)
    rows = list(csv.DictReader(io.StringIO(files[0].read_text(encoding="utf-8"))))
    assert len(rows) == CASES * len(VARIANTS) > len(browser.texts("#results tbody tr")), len(rows)
    assert [row["Variant"] for row in rows[:len(VARIANTS)]] == VARIANTS
    first, wrong = rows[0], rows[12]
    assert [float(first[name]) for name in ("Median (s)", "From (s)", "To (s)")] == [4e-5, 3.92e-5, 4.08e-5], first
    assert wrong["Status"] == "verification_failed" and wrong["Median (s)"] == "" and "20000 are wrong" not in first["Reason"], wrong
    assert "20000 elements are wrong (rtol=1e-06 atol=0); first" in wrong["Reason"], wrong


def check_layout(browser, page):
    """Every chart and table on a telephone, a small and a wide screen."""
    for width in (400, 1280, 1920):
        browser.open(page, width=width)
        browser.run("document.querySelectorAll('main details').forEach(d => { d.open = true; })")
        browser.run("new Promise(done => setTimeout(done, 100))")
        assert layout_problems(browser) == [], (width, layout_problems(browser))
        assert browser.run("[...document.querySelectorAll('#failures .no')].every(e => e.getClientRects().length)")
        if width == 1920:
            tops = browser.run("['times', 'speed-ups'].map(id => document.getElementById(id).getBoundingClientRect()).map(b => [b.top, b.width])")
            assert tops[0][0] == tops[1][0] and tops[0][1] > 850, tops
            assert browser.run("document.querySelector('#results table').getBoundingClientRect().width") > 1700
        for theme in ("light", "dark") if width == 400 else ():
            browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            assert contrast_problems(browser) == [], (width, theme, contrast_problems(browser))
        browser.picture(f"view-{width}.png")


def check_paper(browser, page):
    """Printed, whatever is on the screen: every row of every table, the job, light colours."""
    browser.open(page, theme="dark", fragment="#results&results.page=2")
    text = paper_text(browser, "view.pdf")
    assert browser.run("document.querySelector('#results .pager span').textContent").startswith("26"), "the screen is as it was"
    if text is not None:
        ids = set(browser.run("results.map(r => r.of.id)"))
        assert len(ids) == CASES and all(text.count(each) >= len(VARIANTS) for each in ids), [text.count(each) for each in ids]
        for words in browser.run("results.map(r => r.reason ?? '')") + ["workload: blur  # as it was written", "seed: 20261",
                                                                        "Times are of the host simulation, not of a GPU."]:
            assert re.sub(r"\s", "", words) in text, words
        outputs = browser.run("data.checks.length")
        assert text.count("rtol=1e-06atol=0") >= outputs, (text.count("rtol=1e-06atol=0"), outputs)
    # Charts are drawn for the paper, whatever the window is.
    width = "document.querySelector('#times figure svg').viewBox.baseVal.width"
    browser.open(page, width=400)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(width) > 1000, browser.run(width)
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(width) == 400, browser.run(width)
    # Upright paper is 720 pixels wide.
    browser.open(page, width=720, theme="dark")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    wide = browser.run("""[...document.querySelectorAll("main section, main table, main svg:not(.sign), main pre, main .because")]
        .filter(e => e.getBoundingClientRect().right > innerWidth).map(e => `${e.tagName} of ${e.closest("section").id}`)""")
    assert wide == [], wide
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.call("Emulation.setEmulatedMedia", media="")


def check_view(browser, page, folder):
    check_first(browser, page)
    check_looks(browser, page)
    check_address(browser, page)
    check_csv(browser, page, folder)
    check_layout(browser, page)
    check_paper(browser, page)
