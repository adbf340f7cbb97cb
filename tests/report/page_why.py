"""A report's explanation of times: its section "Why" and its roofline."""
import base64

from browser import contrast_problems
from page_layout import layout_problems


def plain(texts):
    return [text.replace("\xa0", " ") for text in texts]


def check_reasons(browser, path):
    """The section "Why" of a file with counters: labels, sentences, bars for pointer and keyboard, quantities."""
    for width in (1280, 400):
        browser.open(path, width=width)
        assert "Why" in browser.texts("main h2") and "Why" in browser.texts("#nav a")
        heads = plain(browser.texts("#why h3"))
        assert heads == ["stencil n=2^26  dtype=float32", "polynomial n=2^24  dtype=float32", "matmul n=2^22  dtype=float16",
                         "saxpy n=2^24  dtype=float32"], heads
        kinds = browser.texts("#why .reason .class")
        assert kinds == ["memory bandwidth"] * 3 + ["compute"] * 2 + ["latency", "compute"] + ["memory bandwidth"] * 2, kinds
        said = plain(browser.texts("#why .reason p"))
        assert said[0] == "it moves 1.65 GB of DRAM in 710 µs, 93 % of the 2.50 TB/s that a copy reaches here", said[0]
        assert "2.1x the 1.60 GB that must move" in said[1], said[1]
        assert "of the 25.0 TFLOP/s of float64" in said[4] and "(as declared)" in said[7], said
        assert not browser.texts("#why .absent"), browser.texts("#why .absent")
        sentences = plain(browser.texts("#why .gap p"))
        assert len(sentences) == 5 and sentences[-1] == "jit takes as long as raw", sentences
        assert sentences[1].startswith("elementwise is 2.28x slower than raw: it moves 2x the bytes of DRAM"), sentences[1]
        # A bar for each explained gap; its parts are as wide as their shares.
        bars = browser.run("""[...document.querySelectorAll('#why .gap-bar')].map(svg => ({
            label: svg.getAttribute('aria-label'), role: svg.getAttribute('role'), tab: svg.tabIndex,
            widths: [...svg.querySelectorAll('rect.mark')].map(e => e.getBoundingClientRect().width / svg.getBoundingClientRect().width),
            fills: [...svg.querySelectorAll('rect.mark')].map(e => getComputedStyle(e).fill),
            kinds: [...svg.querySelectorAll('rect.mark')].map(e => e.classList[0])}))""")
        assert len(bars) == 4 and all(bar["role"] == "img" and bar["tab"] == 0 for bar in bars), bars
        assert [bar["kinds"] for bar in bars] == [["part", "unexplained"], ["part", "part", "unexplained"], ["part"],
                                                  ["part", "unexplained"]], bars
        for share, part in zip((0.73, 0.11, 0.16), bars[1]["widths"]):
            assert abs(share - part) < 0.02, bars[1]
        assert len(set(bars[1]["fills"])) == 3 and "url(" in bars[1]["fills"][2], bars[1]
        label = plain([bars[1]["label"]])[0]
        assert "Parts of the 910 µs by which elementwise is slower than raw: 73 % (664 µs): it moves 2x" in label, label
        assert "16 % (150 µs): unexplained" in label, label
        # Pointer.
        browser.move("#why li.gap:nth-child(2) rect.part")
        tip = plain([browser.tip()])[0]
        assert tip.startswith("73 % (664 µs): it moves 2x the bytes of DRAM"), tip
        browser.picture(f"why-tip-{width}.png", whole=False)
        # Keyboard: bars get the focus in order, and arrows go through their parts in both directions.
        browser.stand_still()
        browser.run("document.querySelector('#why select').focus()")
        for _ in range(2):
            browser.key("Tab")
        browser.frames()
        assert browser.run("document.activeElement === document.querySelectorAll('#why .gap-bar')[1]")
        tips = []
        for key in ("ArrowLeft", "ArrowRight", "ArrowRight"):
            browser.key(key)
            tips += plain([browser.tip()])
        assert [tip.split(":")[0] for tip in tips] == ["16 % (150 µs)", "73 % (664 µs)", "11 % (96.0 µs)"], tips
        assert "unexplained" in tips[0] and "25 kernels for 1" in tips[2], tips
        browser.key("Escape")
        assert browser.tip() == ""
        # Quantities: variants as columns, only known values.
        browser.click("#why article:nth-child(1) summary")
        browser.run("new Promise(done => setTimeout(done, 100))")
        heads = browser.texts("#why article:nth-child(1) th")
        assert heads == ["Quantity", "raw", "strided", "elementwise"], heads
        rows = browser.run("""Object.fromEntries([...document.querySelectorAll('#why article:nth-child(1) tbody tr')]
            .map(tr => [tr.cells[0].textContent, [...tr.cells].slice(1).map(e => e.textContent)]))""")
        assert rows["dram bytes"] == ["1.65 GB", "3.30 GB", "3.31 GB"], rows
        assert rows["launches"] == ["1", "1", "25"] and rows["sectors per request"] == ["4", "16", "4"], rows
        assert rows["share of memory ceiling"][0] == "93 %" and "half grid time" not in rows, rows
        assert layout_problems(browser) == [], layout_problems(browser)
        browser.picture(f"why-{width}.png")
        assert contrast_problems(browser) == [], contrast_problems(browser)
    # Only one workload.
    browser.run("const w = document.querySelector('#why select'); w.selectedIndex = 2; w.dispatchEvent(new Event('change'))")
    assert plain(browser.texts("#why h3")) == ["polynomial n=2^24  dtype=float32"]


def check_roofline(browser, path):
    """Roofs of all calibrated limits, and points by their sources."""
    for width in (1280, 400):
        browser.open(path, width=width)
        names = browser.texts("#roofline .roof-name")
        assert sorted(names) == ["cache 6.00 TB/s", "copy 2.50 TB/s", "float16 100 Tflop/s", "float32 50.0 Tflop/s",
                                 "float64 25.0 Tflop/s", "read 2.60 TB/s", "tensor 650 Tflop/s"], names
        roofs = browser.run("""[...document.querySelectorAll('#roofline .roof')].map(e => ['x1', 'y1', 'x2', 'y2'].map(k => e[k].baseVal.value))""")
        assert len(roofs) == 7 and sum(y1 == y2 for _, y1, _, y2 in roofs) == 4, roofs
        assert all(x1 < x2 and y1 >= y2 for x1, y1, x2, y2 in roofs), roofs
        # Names lie within the chart and none on another.
        apart = browser.run("""(() => { const frame = document.querySelector('#roofline figure svg').getBoundingClientRect();
            const boxes = [...document.querySelectorAll('#roofline .roof-name')].map(e => e.getBoundingClientRect());
            return boxes.every((a, k) => a.left >= frame.left && a.right <= frame.right + 1 && a.top >= frame.top &&
                boxes.every((b, j) => j <= k || a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2 || b.bottom <= a.top + 2)); })()""")
        assert apart, width
        label = browser.run("document.querySelector('#roofline figure svg').getAttribute('aria-label')")
        assert "float64 25.0 Tflop/s" in label, label
        caption = browser.texts("#roofline figcaption")
        assert caption == ["6 results: operations and bytes of DRAM were counted by the device. "
                           "1 result: one of the two was counted, the other is as declared. "
                           "2 results (hollow): both are as declared."], caption
        # A point: its variant, intensity, rate and share of the roof above it.
        browser.move("#roofline .mark")
        tip = browser.tip()
        for words in ("stencil  raw", "944 Gflop/s at 0.406 flop/byte, counted", "93 % of the roof above it: copy 2.50 TB/s"):
            assert words in tip, (words, tip)
        browser.stand_still()
        browser.run("document.querySelector('#roofline figure svg').focus()")
        browser.frames()
        tips = []
        for _ in range(9):
            browser.key("ArrowRight")
            tips.append(browser.tip())
        wide, tensor, declared = (next(tip for tip in tips if name in tip) for name in ("wide", "matmul  tensor", "jit"))
        assert "82 % of the roof above it: float64 25.0 Tflop/s" in wide, wide
        assert "bytes counted, operations as declared" in tensor and "above it: tensor 650 Tflop/s" in tensor, tensor
        assert "flop/byte, as declared" in declared, declared
        browser.picture(f"roofline-{width}.png", whole=False)
        browser.key("Escape")
        browser.click("#roofline summary")
        browser.run("new Promise(done => setTimeout(done, 100))")
        sources = browser.texts("#roofline tbody td:last-child")
        assert sources.count("counted") == 6 and sources.count("as declared") == 2, sources
        assert layout_problems(browser) == [], layout_problems(browser)


def check_print(browser, path):
    browser.open(path, width=720)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "light"}])
    assert browser.run("[...document.querySelectorAll('#why .gap-bar')].every(e => e.getBoundingClientRect().width > 300)")
    assert browser.run("[...document.querySelectorAll('#why summary')].every(e => !e.getClientRects().length)")
    # On paper nothing scrolls: sentences, bars and roofs are as wide as the page.
    assert browser.run("""[...document.querySelectorAll('#why, #why p, #why svg, #roofline svg')]
        .every(e => e.getBoundingClientRect().right <= innerWidth)""")
    browser.picture("print.png")
    pdf = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    (browser.output / "why.pdf").write_bytes(pdf)
    browser.call("Emulation.setEmulatedMedia", media="")


def check_absence(browser, without, refused):
    """Pages of results without evidence, and of results whose counters were refused."""
    browser.open(without)
    lines = browser.texts("#why .absent")
    assert len(lines) == 1 and "measure.counters" in lines[0] and "measure.twins" in lines[0], lines
    assert "operations and bytes are as declared." in browser.texts("#roofline figcaption")[0].lower()
    # Ceilings that were not measured are left out.
    assert len(browser.texts("#roofline .roof-name")) == 2, browser.texts("#roofline .roof-name")
    browser.open(refused, width=400)
    lines = browser.texts("#why .absent")
    assert len(lines) == 1 and lines[0].startswith("No hardware counters: the driver permits them"), lines
    assert browser.run("document.documentElement.scrollWidth") <= 400
    browser.picture("refused-400.png")
