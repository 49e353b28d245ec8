"""The page of a sweep in a headless Chromium: two widths, two themes, print; its numbers against `systole sweep show`.

usage: sweep_test.py SYSTOLE     Writes the page, screenshots and a PDF into the current folder.
Exit 77, which ctest shows as skipped: there is no Chromium.
"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

from devtools import Browser, Page

SYSTOLE = sys.argv[1]
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def systole(*words):
    return subprocess.run([SYSTOLE, *words], check=True, capture_output=True, text=True, timeout=300).stdout


def shown(*options):
    return list(csv.DictReader(io.StringIO(systole("sweep", "show", "sweep.db", "--format", "csv", *options))))


def write_page():
    if os.path.exists("sweep.db"):
        os.remove("sweep.db")
    with open("sweep.toml", "w", encoding="utf-8") as file:
        file.write('description = "</script><img src=x onerror=alert(1)>"\n'
                   '[run]\nchip = "edge_16x16"\ngemm = "128x128x64"\nset = ["vmem.capacity=1 MiB"]\n'
                   '[[axis]]\nlink = ["array.rows", "array.cols"]\nvalues = ["8..64"]\n'
                   '[[axis]]\nkey = "dataflow"\nvalues = ["ws", "os", "is"]\n'
                   '[[axis]]\nkey = "hbm.bandwidth"\nvalues = ["6.4 GB/s", "25.6 GB/s"]\n')
    systole("sweep", "sweep.toml", "--out", "sweep.db")
    systole("sweep", "plot", "sweep.db", "--html", "sweep.html")
    return os.path.abspath("sweep.html")


def check_looks(page, where, theme):
    check(page.complaints() == [], f"{where}: the console says {page.complaints()}")
    check(all(url.startswith(("file:", "data:", "about:")) for url in page.requests()),
          f"{where}: asks the net for {page.requests()}")
    check(page.run("document.documentElement.scrollWidth <= window.innerWidth"), f"{where}: wider than the window")
    dark = page.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 64")
    check(dark == (theme == "dark"), f"{where}: the paper is {'dark' if dark else 'light'}")
    drawn = page.run("""[...document.querySelectorAll('canvas')].map((canvas) => {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.some((value, i) => i % 4 === 3 && value > 0);
    })""")
    check(drawn == [True, True, True], f"{where}: charts drawn: {drawn}")
    nameless = page.run("[...document.querySelectorAll('select')].filter((one) => one.labels.length === 0).length")
    check(nameless == 0, f"{where}: {nameless} choices without a label")
    tiny = page.run("""[...document.querySelectorAll('p, td, th, label, button')]
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12).length""")
    check(tiny == 0, f"{where}: {tiny} texts below 12 px")
    check(page.run("document.images.length") == 0, f"{where}: a description became markup")
    page.screenshot(f"sweep_{where.replace(' px, ', '_')}.png")


def choose(page, **inputs):
    for key, text in inputs.items():
        found = page.run("""((id, text) => {
            const one = document.getElementById(id);
            one.selectedIndex = [...one.options].findIndex((option) => option.textContent === text);
            one.dispatchEvent(new Event('change', { bubbles: true }));
            return one.selectedIndex >= 0; })(%s, %s)""" % (json.dumps(key), json.dumps(text)))
        check(found, f"{key} cannot be {text}")


def cells(page):
    return page.run("""[...document.querySelectorAll('#heatmap tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].map((cell) => cell.textContent))""")


def percent(value):
    return f"{100 * value:.2f} %"


def check_heatmap(page):
    """The best of each cell in the metric, as the stored rows have it; of one bandwidth alone, if that is chosen."""
    sizes, flows = ["8", "16", "32", "64"], ["ws", "os", "is"]
    for bandwidth in ("all values", "6.4 GB/s"):
        choose(page, x="array.rows,array.cols", y="dataflow", value="array_utilization", **{"axis-2": bandwidth})
        rows = [row for row in shown() if bandwidth in ("all values", row["hbm.bandwidth"])]
        wanted = [[percent(max(float(row["array_utilization"]) for row in rows
                               if row["array.rows"] == size and row["dataflow"] == flow)) for size in sizes]
                  for flow in flows]
        check(cells(page) == wanted, f"heatmap of {bandwidth}: {cells(page)}, wanted {wanted}")
    choose(page, **{"axis-2": "all values"})


def check_winners(page):
    choose(page, y="hbm.bandwidth", value="seconds", winner="the best dataflow")
    said = cells(page)
    for r, bandwidth in enumerate(("6.4 GB/s", "25.6 GB/s")):
        for c, size in enumerate(("8", "16", "32", "64")):
            times = {row["dataflow"]: float(row["seconds"]) for row in shown()
                     if row["array.rows"] == size and row["hbm.bandwidth"] == bandwidth}
            best = min(times.values())
            names = " = ".join(flow for flow in ("ws", "os", "is") if times[flow] == best)
            rest = [time for time in times.values() if time != best]
            lead = 100 * (min(rest) / best - 1) if rest else 0
            wanted = names + (f" +{lead:.{2 if lead < 0.995 else 1 if lead < 9.95 else 0}f} %" if rest else "")
            check(said[r][c] == wanted, f"winner of {size}, {bandwidth}: {said[r][c]}, wanted {wanted}")
    choose(page, winner="the metric", y="dataflow", value="array_utilization")


def check_front(page):
    on_page = page.run("[...document.querySelectorAll('#front-table td[data-point]')].map((one) => "
                       "Number(one.dataset.point))")
    wanted = sorted(int(row["point"]) for row in shown("--pareto", "time,area"))
    check(sorted(on_page) == wanted, f"the front has {sorted(on_page)}, wanted {wanted}")


def check_points(page):
    """Under the pointer, by keyboard and in a chart: the settings and the command that reruns the point."""
    answer = json.loads(systole("sweep", "show", "sweep.db", "--format", "json"))
    commands = {point["point"]: point["command"] for point in answer["points"]}
    for c in range(4):
        number = page.run(f"""(() => {{ const one = document.querySelectorAll('#heatmap button')[{c}];
            one.focus(); return Number(one.dataset.point); }})()""")
        check(page.run("document.getElementById('chosen-command').textContent") == commands[number],
              f"point {number} says another command")
        check(commands[number] in page.run(f"document.querySelectorAll('#heatmap button')[{c}].title"),
              f"no command over point {number}")
    for chart, dataset in (("utilization", 1), ("front", 1), ("speed", 1)):
        spot = page.run(f"""(() => {{ const chart = Chart.getChart('{chart}');
            chart.canvas.scrollIntoView({{ block: 'center' }});
            const box = chart.canvas.getBoundingClientRect(); const point = chart.getDatasetMeta({dataset}).data[0];
            return [box.left + point.x, box.top + point.y]; }})()""")
        page.mouse("mouseMoved", spot[0] - 30, spot[1] - 30)
        page.mouse("mouseMoved", *spot)
        page.run("new Promise((done) => setTimeout(done, 200))")
        text = page.run(f"JSON.stringify(Chart.getChart('{chart}').tooltip.body || '')")
        check("dataflow\u00a0=\u00a0" in text and "systole simulate" in text, f"hovering in {chart} shows {text}")


def main():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        print("SKIPPED: no Chromium, so the page of a sweep is not tested (./quickstart chromium installs it)")
        sys.exit(77)
    report = write_page()
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        try:
            for width in (1280, 390):
                for theme in ("light", "dark"):
                    page = Page(browser)
                    page.look(width, theme)
                    page.open(report)
                    check_looks(page, f"{width} px, {theme}", theme)
                    if theme == "light":
                        check_heatmap(page)
                        check_winners(page)
                        check_front(page)
                        check_points(page)
                    elif width == 1280:
                        page.look(1280, "dark", "print")
                        page.run("new Promise((done) => setTimeout(done, 200))")
                        check(page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)",
                              "prints on dark paper")
                        check(page.pdf("sweep.pdf").startswith(b"%PDF"), "no PDF")
                    check(page.complaints() == [], f"{width} px, {theme}: the console says {page.complaints()}")
                    page.close()
        finally:
            browser.close()
    print("screenshots in", os.getcwd())
    sys.exit(1 if failures else 0)


main()
