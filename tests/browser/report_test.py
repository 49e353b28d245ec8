"""The HTML report in a headless Chromium: two widths, two themes, print; sliders against `systole roofline`.

usage: report_test.py SYSTOLE     Writes the report, screenshots and a PDF into the current folder.
Exit 77, which ctest shows as skipped: there is no Chromium.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from devtools import Browser, Page

SYSTOLE = sys.argv[1]
HOSTILE = "</script><img src=x onerror=alert(1)><b>&\"'"
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def systole(*words):
    return subprocess.run([SYSTOLE, *words], check=True, capture_output=True, text=True, timeout=300).stdout


def write_report():
    with open("workload.toml", "w", encoding="utf-8") as file:
        file.write('description = "names that are markup"\nsource = "test"\n')
        for i, name in enumerate(["plain", HOSTILE, "M=64", "M=256", "M=1024"]):
            file.write(f"[[operator]]\nname = {json.dumps(name)}\nm = {4 ** (i + 1)}\nn = 512\nk = 512\n")
    systole("compare", "--chip", "tpu_v5e", "--workload", "workload.toml", "--html", "report.html")
    systole("compare", "--chip", "tpu_v5e", "--gemm", "64x512x512", "--sparsity", "1:4", "--html", "sparse.html")
    return os.path.abspath("report.html"), os.path.abspath("sparse.html")


def check_looks(page, width, theme):
    where = f"{width} px, {theme}"
    check(page.complaints() == [], f"{where}: the console says {page.complaints()}")
    check(all(url.startswith(("file:", "data:", "about:")) for url in page.requests()),
          f"{where}: asks the net for {page.requests()}")
    check(page.run("document.documentElement.scrollWidth <= window.innerWidth"), f"{where}: wider than the window")
    dark = page.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 64")
    check(dark == (theme == "dark"), f"{where}: the paper is {'dark' if dark else 'light'}")
    drawn = page.run("""[...document.querySelectorAll('canvas')].filter((c) => c.width > 0).map((canvas) => {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.some((value, i) => i % 4 === 3 && value > 0);
    })""")
    check(len(drawn) == 5 and all(drawn), f"{where}: charts drawn: {drawn}")
    nameless = page.run("""[...document.querySelectorAll('input, select')]
        .filter((one) => one.labels.length === 0 && !one.getAttribute('aria-label')).map((one) => one.id)""")
    check(nameless == [], f"{where}: without a label: {nameless}")
    tiny = page.run("""[...document.querySelectorAll('p, td, th, label, li')]
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12).length""")
    check(tiny == 0, f"{where}: {tiny} texts below 12 px")
    page.screenshot(f"report_{width}_{theme}.png")


def check_names(page):
    check(page.run("document.images.length") == 0, "an operator's name became markup")
    names = page.run("[...document.querySelectorAll('#operators th[scope=row]')].map((one) => one.textContent)")
    check(names == ["plain", HOSTILE, "M=64", "M=256", "M=1024", "the whole run"], f"operators: {names}")


def shown(page):
    """What the page says now: numbers by key, the point of the chart, the command that gives the same."""
    return page.run("""(() => {
        const values = {};
        for (const cell of document.querySelectorAll('#what-if-table td[data-key]')) {
            values[cell.dataset.key] = cell.dataset.value;
        }
        const problem = document.getElementById('what-if-problem');
        const point = Chart.getChart('what-if').data.datasets[0].data[0];
        return { values, point, command: document.getElementById('what-if-command').textContent,
                 problem: problem.hidden ? '' : problem.textContent };
    })()""")


def compare_with_command(page, what):
    """Every number on the page is bit for bit the one of `systole roofline` for the same inputs."""
    page_says = shown(page)
    check(page_says["problem"] == "", f"{what}: {page_says['problem']}")
    words = shlex.split(page_says["command"])
    check(words[:2] == ["systole", "roofline"], f"{what}: the command is {words}")
    answer = json.loads(systole(*words[1:], "--format", "json"))
    roofline = answer["total"]["roofline"]
    wanted = {"t_math_s": roofline["t_math_s"], "lower_bound_s": roofline["lower_bound_s"],
              "upper_bound_s": roofline["upper_bound_s"], "attainable_flops": roofline["attainable_flops"],
              "utilization": roofline["utilization"]}
    for name, level in roofline["levels"].items():
        if name != "pe":
            wanted[f"{name}.seconds"] = level["seconds"]
            wanted[f"{name}.compulsory_bytes"] = level["compulsory_bytes"]
            wanted[f"{name}.ridge"] = level["ridge"]
    if "results" in answer:
        wanted["critical_d"] = answer["results"]["critical_d"]
    values = page_says["values"]
    check(values.pop("bound", None) == roofline["bound"], f"{what}: bound, wanted {roofline['bound']}")
    check(set(values) == set(wanted), f"{what}: shows {sorted(values)}, wanted {sorted(wanted)}")
    for key, value in wanted.items():
        check(key in values and float(values[key]) == float(value),
              f"{what}: {key} is {values.get(key)}, wanted {value}")
    point = page_says["point"]
    check(point["y"] == roofline["attainable_flops"], f"{what}: the point is at {point}")
    return words


def choose(page, **inputs):
    page.run("""((inputs) => {
        for (const [id, value] of Object.entries(inputs)) {
            const one = document.getElementById(id);
            if (id === 'chip') {
                one.selectedIndex = [...one.options].findIndex((option) => option.textContent === value);
            } else {
                one.value = value;
            }
            one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
        }
    })(%s)""" % json.dumps(inputs))


def argument_of(words, option):
    return words[words.index(option) + 1] if option in words else None


def check_sliders(page):
    cases = 0
    for chip, dtype in (("tpu_v5e", "bf16"), ("tpu_v5e", "int8"), ("tpu_v5p", "bf16,int8,bf16"), ("h100", "bf16"),
                        ("tpu_v7", "bf16"), ("tpu_v4", "bf16,int4,bf16")):
        for along in ("d", "f"):
            for chips, batch, d, f in ((1, 1, 1, 1), (2, 240, 8192, 8192), (8, 7, 4099, 777),
                                       (64, 131072, 65536, 1000)):
                choose(page, chip=chip, dtype=dtype, along=along, chips=chips, batch=batch, d=d, f=f)
                words = compare_with_command(page, f"{chip} {dtype} {along} {chips} {batch} {d} {f}")
                for option, value in (("--chip", chip), ("--dtype", dtype), ("--along", along), ("--chips", chips),
                                      ("--batch", batch), ("--d", d), ("--f", f)):
                    check(argument_of(words, option) == str(value), f"{option} {value} is not in {words}")
                cases += 1
    for chip in ("edge_16x16", "cpu_4t"):  # no links: one chip, the plain product
        choose(page, chip=chip, batch=33, d=70, f=515)
        words = compare_with_command(page, chip)
        check(argument_of(words, "--gemm") == "33x515x70", f"{chip}: {words}")
        check(page.run("document.getElementById('chips').disabled"), f"{chip} has no links, but can be split")
    choose(page, chip="tpu_v5e", dtype="bf16", batch=512, d=1024, f=2048, chips=4, along="d")
    for rates in ("machine", "nominal"):
        for start in ("vmem", "host", "hbm"):
            choose(page, rates=rates, **{"from": start})
            words = compare_with_command(page, f"{rates} rates from {start}")
            check((argument_of(words, "--from") or "hbm") == start, f"--from {start} is not in {words}")
            check((argument_of(words, "--rates") or "nominal") == rates, f"--rates {rates} is not in {words}")
    choose(page, rates="nominal", chips=1)
    for sparsity in ("2:4", "dense"):
        for chip, chips, along, d in (("tpu_v5e", 1, "d", 4099), ("tpu_v5e", 8, "f", 8192), ("tpu_v5e", 4, "d", 4099),
                                      ("edge_16x16", 1, "d", 70)):
            choose(page, chip=chip, sparsity=sparsity, chips=chips, along=along, batch=7, d=d, f=777)
            words = compare_with_command(page, f"{sparsity} {chip} {chips} {along} {d}")
            check((argument_of(words, "--sparsity") or "dense") == sparsity, f"--sparsity {sparsity} is not in {words}")
            cases += 1
    choose(page, chip="tpu_v5e", dtype="bf16")
    return cases + 8


def roofs_of(page, chart):
    return page.run(f"Chart.getChart('{chart}').data.datasets.map((one) => one.label || '').join('; ')")


def check_sparse_report(page):
    """A report of a sparse run begins at its sparsity, and draws the roof of that alone."""
    check(page.run("document.getElementById('sparsity').value") == "1:4", "the sliders do not begin at 1:4")
    words = compare_with_command(page, "1:4")
    check(argument_of(words, "--sparsity") == "1:4", f"--sparsity 1:4 is not in {words}")
    for chart in ("roofline", "what-if"):
        check("1:4" in roofs_of(page, chart) and "2:4" not in roofs_of(page, chart),
              f"{chart} of a 1:4 run draws {roofs_of(page, chart)}")
    choose(page, sparsity="dense")
    compare_with_command(page, "1:4 made dense")
    check("1:4" not in roofs_of(page, "what-if"), f"a dense point has the roofs {roofs_of(page, 'what-if')}")


def check_bad_input(page):
    before = shown(page)["values"]
    for inputs, words in (({"batch": 0}, "whole numbers"), ({"batch": "1.5"}, "whole numbers"),
                          ({"batch": ""}, "whole numbers"), ({"d": 3, "chips": 4, "along": "d"}, "more chips than D"),
                          ({"batch": 2 ** 40, "d": 8192}, "2^50")):
        choose(page, **{"batch": 64, "d": 512, "chips": 1})
        choose(page, **inputs)
        check(words in shown(page)["problem"], f"{inputs}: says '{shown(page)['problem']}'")
    choose(page, batch=64, d=512, f=512, chips=1)
    check(shown(page)["problem"] == "" and before, "a good input after a bad one is not shown")


def check_keyboard(page):
    """Tab reaches every control, and arrows move the sliders and with them the point."""
    wanted = set(page.run("[...document.querySelectorAll('input:enabled, select:enabled')].map((one) => one.id)"))
    reached = set()
    page.run("document.activeElement.blur()")
    for _ in range(40):
        page.key("Tab")
        reached.add(page.run("document.activeElement.id"))
    check(wanted <= reached, f"Tab does not reach {wanted - reached}")
    for slider in ("batch", "d", "f", "chips"):
        before = shown(page)
        page.run(f"document.getElementById('{slider}-slider').focus()")
        page.key("ArrowRight", times=3)
        after = shown(page)
        check(before["values"] != after["values"], f"keys on the slider of {slider} change nothing")
        compare_with_command(page, f"arrow keys on {slider}")


def check_drag(page):
    """The point follows while the button is still down."""
    box = page.run("""(() => { const one = document.getElementById('batch-slider');
        one.scrollIntoView({ block: 'center' });
        const box = one.getBoundingClientRect(); return [box.left, box.top + box.height / 2, box.width]; })()""")
    left, y, width = box
    page.mouse("mouseMoved", left + width * 0.3, y)
    page.mouse("mousePressed", left + width * 0.3, y, True)
    seen = []
    for part in (0.4, 0.5, 0.7, 0.9):
        page.mouse("mouseMoved", left + width * part, y, True)
        compare_with_command(page, f"dragged to {part}")
        seen.append(page.run("document.getElementById('batch').value"))
    page.mouse("mouseReleased", left + width * 0.9, y)
    check(len(set(seen)) == 4, f"dragging gives {seen}")


def check_hover(page):
    spot = page.run("""(() => { const chart = Chart.getChart('roofline');
        chart.canvas.scrollIntoView({ block: 'center' });
        const box = chart.canvas.getBoundingClientRect(); const point = chart.getDatasetMeta(1).data[0];
        return [box.left + point.x, box.top + point.y]; })()""")
    page.mouse("mouseMoved", spot[0] - 30, spot[1] - 30)
    page.mouse("mouseMoved", *spot)
    page.run("new Promise((done) => setTimeout(done, 200))")
    text = page.run("JSON.stringify(Chart.getChart('roofline').tooltip.body || '')")
    check("plain, " in text and "FLOP/byte" in text, f"hovering over an operator shows {text}")


def check_waterfall(page):
    count = page.run("document.getElementById('operator').options.length")
    check(count == 6, f"{count} waterfalls to choose from")
    for i in range(count):
        bars = page.run(f"""(() => {{ const one = document.getElementById('operator'); one.selectedIndex = {i};
            one.dispatchEvent(new Event('change')); return Chart.getChart('waterfall').data.datasets[0].data; }})()""")
        check(all(bars[j][1] == bars[j + 1][0] for j in range(len(bars) - 2)) and bars[-2][1] == bars[-1][1],
              f"waterfall {i} does not end at the simulated cycles: {bars}")


def check_print(page):
    page.look(1280, "dark", "print")
    page.run("new Promise((done) => setTimeout(done, 200))")
    check(page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "prints on dark paper")
    page.screenshot("report_print.png")
    check(page.pdf("report.pdf").startswith(b"%PDF"), "no PDF")


def main():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        print("SKIPPED: no Chromium, so the HTML report is not tested (./quickstart chromium installs it)")
        sys.exit(77)
    report, sparse = write_report()
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        try:
            for width in (1280, 390):
                for theme in ("light", "dark"):
                    page = Page(browser)
                    page.look(width, theme)
                    page.open(report)
                    check_looks(page, width, theme)
                    check_names(page)
                    if theme == "light":
                        print(f"{width} px:", check_sliders(page), "inputs give the numbers of systole roofline")
                        check_bad_input(page)
                        check_keyboard(page)
                        check_drag(page)
                        check_hover(page)
                        check_waterfall(page)
                        check(":4" not in roofs_of(page, "roofline"), "a dense run has a sparse roof")
                    elif width == 1280:
                        check_print(page)
                    check(page.complaints() == [], f"{width} px, {theme}: the console says {page.complaints()}")
                    page.close()
            page = Page(browser)
            page.look(1280, "light")
            page.open(sparse)
            check_sparse_report(page)
            check(page.complaints() == [], f"sparse: the console says {page.complaints()}")
            page.close()
        finally:
            browser.close()
    print("screenshots in", os.getcwd())
    sys.exit(1 if failures else 0)


main()
