"""Which dataflow wins where: runs the sweeps, draws docs/images/findings_*.svg and puts the tables into docs/findings.md.

usage, from the top folder: python3 docs/images/findings.py [SYSTOLE]     build/release/systole; needs gnuplot-nox
Databases that are newer than the program are gone on with, others made anew, in findings/ beside it.
"""
import json
import os
import subprocess
import sys

SWEEPS = ("dataflow_networks", "dataflow_large_models")
PAGE = "docs/findings.md"
WORDS = {"padding": "padding", "stationary_load": "loading the array", "fill_drain": "fill and drain",
         "vmem": "VMEM bandwidth", "vmem_capacity": "VMEM capacity", "hbm_bandwidth": "HBM bandwidth",
         "hbm_latency": "HBM latency", "pcie": "PCIe", "vector": "the vector unit", "control": "control"}
FLOWS = ("ws", "os", "is")


def swept(program, name):
    """The database of a shipped sweep."""
    folder = os.path.join(os.path.dirname(os.path.abspath(program)), "findings")
    os.makedirs(folder, exist_ok=True)
    database = os.path.join(folder, name + ".db")
    if os.path.exists(database) and os.path.getmtime(database) < os.path.getmtime(program):
        os.remove(database)
    done = subprocess.run([program, "sweep", name, "--out", database, "--resume"], check=False).returncode
    if done not in (0, 1):  # 1: some points failed, which the tables show
        sys.exit(done)
    return database


def points_of(program, database):
    """By network and array size, the good points by dataflow."""
    answer = subprocess.run([program, "sweep", "show", database, "--format", "json"], check=True, capture_output=True,
                            text=True)
    cells = {}
    for point in json.loads(answer.stdout)["points"]:
        cell = cells.setdefault((point["settings"]["workload"], point["settings"]["array.rows"]), {})
        if point["status"] == "ok":
            cell[point["settings"]["dataflow"]] = point
    return cells


def cycles_by_cause(point):
    """Of the cycle stack, in cycles of the whole array."""
    per_cycle = point["pe_slots"] / point["cycles"]
    return {cause: point["stack_" + cause] / per_cycle for cause in WORDS}


def reason(loser, winner):
    """The cause that grew most, and its part of what grew."""
    lost, kept = cycles_by_cause(loser), cycles_by_cause(winner)
    cause = max(WORDS, key=lambda one: lost[one] - kept[one])
    return cause, (lost[cause] - kept[cause]) / (loser["cycles"] - winner["cycles"])


def ranked(cell):
    """[(dataflow, point)], the fastest first; equals in the order ws, os, is."""
    return sorted(cell.items(), key=lambda one: (one[1]["cycles"], FLOWS.index(one[0])))


def lead_text(loser, winner):
    percent = 100 * (loser["cycles"] / winner["cycles"] - 1)
    return f"+{percent:.{2 if percent < 0.995 else 1}f} %"


def loser_text(flow, loser, winner):
    if loser["cycles"] == winner["cycles"]:
        return f"{flow}: equal"
    cause, part = reason(loser, winner)
    return f"{flow} {lead_text(loser, winner)}: {WORDS[cause]}" + (f" ({100 * part:.0f} %)" if part < 0.995 else "")


def table(cells):
    yield "| network | array | best | array in use | of the roofline | second | third |"
    yield "|---|---|---|---|---|---|---|"
    for (network, size), cell in cells.items():
        order = ranked(cell)
        if not order:
            yield f"| {network} | {size}x{size} | failed | | | | |"
            continue
        flow, best = order[0]
        others = [loser_text(other, point, best) for other, point in order[1:]]
        others += ["failed"] * (2 - len(others))
        yield (f"| {network} | {size}x{size} | {flow} | {100 * best['array_utilization']:.1f} % | "
               f"{100 * best['roofline_efficiency']:.1f} % | {' | '.join(others)} |")


def wins(cells):
    """How often each dataflow is best, by how much at most, and what those that lose to it lose most to."""
    yield "| best | cells | by 1 % or more | greatest lead | what the others lose to it |"
    yield "|---|---|---|---|---|"
    complete = {key: ranked(cell) for key, cell in cells.items() if len(cell) == len(FLOWS)}
    for flow in FLOWS:
        mine = {key: order for key, order in complete.items() if dict(order)[flow]["cycles"] == order[0][1]["cycles"]}
        if not mine:
            yield f"| {flow} | 0 of {len(complete)} | 0 | | |"
            continue
        alone = {key: order for key, order in mine.items() if order[1][1]["cycles"] > order[0][1]["cycles"]}
        clear = sum(order[1][1]["cycles"] >= 1.01 * order[0][1]["cycles"] for order in mine.values())
        greatest = "none"
        if alone:
            lead = lambda key: alone[key][1][1]["cycles"] / alone[key][0][1]["cycles"]
            key = max(alone, key=lead)
            greatest = f"{lead_text(alone[key][1][1], alone[key][0][1])} ({key[0]}, {key[1]}x{key[1]})"
        causes = {}
        for order in mine.values():
            for other, point in order:
                if point["cycles"] > order[0][1]["cycles"]:
                    said = f"{other}: {WORDS[reason(point, order[0][1])[0]]}"
                    causes[said] = causes.get(said, 0) + 1
        often = sorted(causes.items(), key=lambda one: (-one[1], one[0]))[:5]
        yield (f"| {flow} | {len(mine)} of {len(complete)} | {clear} | {greatest} | "
               f"{', '.join(f'{said} ({count})' for said, count in often)} |")


def filled(page, mark, lines):
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = page.split(begin + "\n", 1)
    after = rest.split(end, 1)[1]
    return before + begin + "\n" + "\n".join(lines) + "\n" + end + after


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/systole"
    cells = {}
    for name in SWEEPS:
        database = swept(program, name)
        cells.update(points_of(program, database))
        picture = f"docs/images/findings_{name}.svg"
        subprocess.run([program, "sweep", "plot", database, "--plot", picture, "--y", "workload", "--winner", "dataflow"],
                       check=True)
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    page = filled(page, "wins", wins(cells))
    page = filled(page, "networks", table(cells))
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


main()
