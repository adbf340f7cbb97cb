"""The section "Tuning" of a page: searches over parameters with known effects from search_file."""
import re
import subprocess

from browser import contrast_problems
from page_layout import layout_problems

TRIES = 60


def expected():
    """Content of search_file's usual search of TRIES tries: (kind, configuration, time) of each."""
    tries = []
    for number in range(TRIES):
        place = number * 7919 % 72000
        block, items, lanes = place % 6, place // 6 % 4, place // 24 % 3
        time = 1e-4 * 2 ** items * 1.5 ** block
        kind = "failed" if block == 5 else "dropped" if number % 5 == 4 and items > 0 else "ok"
        tries.append((kind, (64 << block, 1 << items, ["auto", 1, 2][lanes]), time))
    return tries


def make_searches(kernelbatch, search_file, folder):
    pages = []
    for name, arguments in {"found": [str(TRIES)], "odd": ["0", "odd"], "many": ["10000"]}.items():
        results, page = folder / f"search-{name}.h5", folder / f"search-{name}.html"
        subprocess.run([search_file, results, *arguments], check=True)
        subprocess.run([kernelbatch, "report", results, "-o", page], check=True, stdout=subprocess.DEVNULL)
        pages.append(page)
    return pages


def count(browser, selector):
    return browser.run(f"document.querySelectorAll('#tuning {selector}').length")


def figure(title):
    return f'svg[aria-label^="{title}"]'


def choose(browser, label, index):
    browser.run(f"""(() => {{ const s = document.querySelector('#tuning select[aria-label="{label}"]');
        s.selectedIndex = {index}; s.dispatchEvent(new Event('change')); }})()""")


def check_width(browser, width):
    assert layout_problems(browser) == [], (width, layout_problems(browser))


def check_found(browser, page):
    tries = expected()
    of = {kind: [t for t in tries if t[0] == kind] for kind in ("ok", "dropped", "failed")}
    assert all(len(of[kind]) > 3 for kind in of), of
    best = min(of["ok"], key=lambda t: t[2])
    for width in (1920, 1280, 400):
        browser.open(page, width=width)
        sections = browser.texts("main h2")
        assert sections.index("Tuning") > sections.index("Summary"), sections
        assert browser.texts("#tuning h3") == ["raw usual  n=2^20"], browser.texts("#tuning h3")
        said = browser.texts("#tuning .found")[0]
        assert said.startswith(f"60 tries: {len(of['ok'])} ok, {len(of['dropped'])} dropped, {len(of['failed'])} failed."), said
        assert f"block={best[1][0]}  items={best[1][1]}  lanes={best[1][2]}" in said, said
        # A mark for each try, by outcome, and the line of the best.
        progress = figure("Best so far")
        for kind in of:
            assert count(browser, f"{progress} .mark.{kind}-try") == len(of[kind]), kind
            assert count(browser, f"path.{kind}-line") == len(of[kind]), kind
        assert count(browser, ".best-so-far") == 1 and not count(browser, ".thinned")
        steps, least = 0, float("inf")
        for number, (kind, _, time) in enumerate(tries):
            time *= 1 + 1e-5 * (number % 10)
            if kind == "ok" and time < least:
                steps, least = steps + 1, time
        line = browser.run("document.querySelector('#tuning .best-so-far').getAttribute('d')")
        assert line.count("V") == steps - 1, line
        # Failures stand at the axis: as low as can be.
        assert browser.run(f"""(() => {{ const low = kind => [...document.querySelectorAll(`#tuning {progress} .${{kind}}-try`)]
            .map(e => e.getBoundingClientRect()).map(b => b.y + b.height / 2);
            return Math.min(...low('failed')) > Math.max(...low('ok'), ...low('dropped')); }})()""")
        # The two parameters with the largest shares by default. Those without an effect have none.
        shares = dict(re.findall(r"(\w[\w ]*?) (\d+ %|unknown)", browser.run(f"document.querySelector('#tuning {figure('Share of')}').getAttribute('aria-label')").split(". ")[1]))
        assert int(shares["items"][:-2]) > int(shares["block"][:-2]) > 15 and int(shares["lanes"][:-2]) <= 10, shares
        assert shares["tile"] in ("0 %", "unknown"), shares
        assert "excludes interactions with others" in "".join(browser.texts("#tuning figcaption"))
        cells = {(i, b) for _, (b, i, _), _ in tries}
        assert count(browser, "rect.cell") == 24 and count(browser, "rect.cell.untried") == 24 - len(cells)
        assert count(browser, "rect.cell.failed") == len({c for c in cells if c[1] == 2048})
        browser.stand_still()
        browser.move("#tuning rect.cell.ok")
        assert re.search(r"items=\d+  block=\d+\n[\d.]+ [µm]s\n\d+ tr(y|ies)\nblock=", browser.tip()), browser.tip()
        browser.picture(f"tuning-tip-{width}.png", whole=False)
        # The tables: the best, from the fastest on, and why others failed.
        rows = browser.run("""[...document.querySelectorAll('#tuning .table')].map(t => [...t.querySelectorAll('tbody tr')]
            .map(r => [...r.cells].map(c => c.textContent)))""")
        assert len(rows[0]) == 10 and [row[0] for row in rows[0]] == [str(k) for k in range(1, 11)], rows[0]
        assert rows[0][0][1:4] == [str(v) for v in best[1]] and rows[0][0][7] == "1.00×" and "…" in rows[0][0][6], rows[0]
        # Reasons that differ in numbers are equal; common values are shown.
        assert len(rows[1]) == 1 and rows[1][0][:2] == ["compile_failed", str(len(of["failed"]))], rows[1]
        assert rows[1][0][3] == "block=2048", rows[1]
        check_width(browser, width)
        browser.picture(f"tuning-{width}.png")
    # A dropped try is correct: it is not a failure.
    assert f"Failures ({len(of['failed'])})" in browser.texts("main h2"), browser.texts("main h2")
    # Pointer and keyboard read tries.
    browser.open(page)
    browser.stand_still()
    browser.run(f"document.querySelector('#tuning {figure('Best so far')}').focus()")
    browser.frames()
    tips = []
    for _ in range(TRIES):
        browser.key("ArrowRight")
        tips.append(browser.tip())
    assert tips[0].startswith("Try 1\nblock=64  items=1  lanes=auto  tile=0\n100 µs ± 1 %\nended 500 ms"), tips[0]
    assert [("dropped after one sample" in tip, "compile_failed: a block of" in tip) for tip in tips] == \
        [(kind == "dropped", kind == "failed") for kind, _, _ in tries]
    browser.key("Escape")
    browser.move(f"#tuning {figure('Best so far')} .failed-try")
    assert "compile_failed" in browser.tip(), browser.tip()
    # Against time; other parameters, which are swapped if both would be the same.
    choose(browser, "Against", 1)
    assert count(browser, f"{figure('Best so far')} .mark") == TRIES
    assert "time since the first try started, s" in browser.texts("#tuning svg text.strong")
    choose(browser, "Across", 2)
    assert count(browser, "rect.cell") == 12
    choose(browser, "Down", 2)
    assert browser.run("""['Down', 'Across'].map(l => document.querySelector(`#tuning select[aria-label="${l}"]`).value)""") == ["lanes", "items"]
    assert browser.texts(f"#tuning {figure('Best time')} text")[0] == "lanes (down), items (across)"
    for theme in ("light", "dark"):
        browser.open(page, theme=theme)
        assert contrast_problems(browser) == [], contrast_problems(browser)
        browser.picture(f"tuning-{theme}.png")
    browser.print(page, "#tuning, #tuning svg, #tuning table, #tuning p", "tuning.pdf")


def check_odd(browser, page):
    """Searches with missing data."""
    for width in (1280, 400):
        browser.open(page, width=width)
        found = dict(zip(browser.texts("#tuning h3"), browser.texts("#tuning .found")))
        choose(browser, "Searches", 1)
        check_width(browser, width)
        browser.picture(f"tuning-odd-{width}.png")
        found |= dict(zip(browser.texts("#tuning h3"), browser.texts("#tuning .found")))
        assert len(found) == 6, found
        assert found["raw all failed"] == "4 tries: 0 ok, 0 dropped, 4 failed. None is correct, so there is no best."
        assert "3 others are as good" in found["raw all the same"], found
        assert found["raw no times"].startswith("4 tries: 1 ok, 0 dropped, 3 failed. The best, block=3,"), found
        assert "layout=row" in found["raw one parameter"] and "3.00× as long" in found["raw one parameter"], found
        assert "items=true" in found["raw one try"] and "No other is as good." in found["raw one try"], found
        assert found["raw only dropped"] == "1 try: 0 ok, 1 dropped, 0 failed. None is correct, so there is no best."
        assert "<b>column</b>" in browser.texts("#tuning td")
        # Without a clock there is no choice.
        assert count(browser, "article:last-child select") == 0
    choose(browser, "Searches", 0)
    # Equal times are not explained; failures are not drawn.
    assert "all times are equal" in browser.run("document.querySelectorAll('#tuning article')[1].textContent")
    assert count(browser, "article:first-child figure svg") == 0 and count(browser, "article:first-child tbody tr") == 1
    check_width(browser, 400)
    assert not re.search("NaN|undefined|Infinity", browser.run("document.getElementById('tuning').innerHTML"))


def check_many(browser, page):
    """10,000 tries: a part of them is drawn, with a note."""
    assert page.stat().st_size < 3_000_000
    browser.open(page)
    assert count(browser, ".mark") < 1200 and count(browser, ".thinned") == 2
    assert browser.texts("#tuning .thinned")[0].startswith("500 of 10,000 tries are drawn"), browser.texts("#tuning .thinned")
    assert browser.run("(() => { const begin = performance.now(); searchPart(searches[0]); return performance.now() - begin; })()") < 2000
    # 1000 values in 32 places.
    choose(browser, "Across", 3)
    assert count(browser, "rect.cell") == 4 * 32
    assert "0…30" in browser.texts(f"#tuning {figure('Best time')} text")
    check_width(browser, 1280)
    browser.open(page, width=400)
    choose(browser, "Across", 3)
    check_width(browser, 400)
    browser.picture("tuning-many-400.png")
