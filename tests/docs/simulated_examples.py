"""The simulated parts of docs/worked-examples.md: taken from the commands that stand there, never by hand.

usage: simulated_examples.py SYSTOLE --write PAGE     puts today's numbers into the page
       simulated_examples.py SYSTOLE --check PAGE     exit 1 if the page says anything else
"""
import difflib
import json
import os
import shlex
import subprocess
import sys
import tempfile

# What is runnable among the examples, and on which simulable chip. Where the example asks for the batch at which
# something turns, that batch is run.
EXAMPLES = [
    ("op.dot.intensity", "--chip tpu_v5e --gemm 1x1x1000000 --dtype bf16"),
    ("gemm.v5e.int8.bcrit", '--chip tpu_v5e --gemm 259x16384x4096 --dtype int8 --set hbm.bandwidth="820 GB/s"'),
    ("gemm.v5e.int8.bcrit_vmem", "--chip tpu_v5e --gemm 11x16384x4096 --dtype int8 --from vmem"),
    ("gemm.v5e.w8a16.bcrit_approx",
     '--chip tpu_v5e --gemm 122x4096x4096 --dtype bf16,int8,bf16 --set hbm.bandwidth="810 GB/s"'),
    ("gemm.v5e.w8a16.bcrit.4096",
     '--chip tpu_v5e --gemm 136x4096x4096 --dtype bf16,int8,bf16 --set hbm.bandwidth="820 GB/s"'),
    ("gemm.v5e.w8a16.bcrit.1024",
     '--chip tpu_v5e --gemm 226x1024x1024 --dtype bf16,int8,bf16 --set hbm.bandwidth="820 GB/s"'),
    ("gemm.v6e.offload.bcrit", "--chip tpu_v6e --gemm 57375x32768x8192 --dtype bf16 --from host"),
    ("gemm.bmm.int8.intensity", "--chip tpu_v5e --gemm 1x4096x4096 --dtype int8"),
]
KNEE = "--chip tpu_v5e --workload v5e_critical_batch --dtype bf16"


def run(program, arguments):
    answer = subprocess.run([program, "compare", *shlex.split(arguments), "--format", "json", "--quiet"], check=True,
                            capture_output=True, text=True, timeout=1500)
    return json.loads(answer.stdout)


def microseconds(seconds):
    return f"{seconds * 1e6:.4g}"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %"


def waterfall(one):
    bars = [f"{bar['cause']} {bar['cycles']}" for bar in one["waterfall"] if bar["cycles"] > 0]
    assert sum(bar["cycles"] for bar in one["waterfall"]) == one["cycles"]
    return " + ".join(bars) + f" = {one['cycles']}"


def examples_table(program):
    yield "| example | bound by | least time | simulated | of the roofline | waterfall, in cycles | `systole compare` |"
    yield "|---|---|---|---|---|---|---|"
    for name, arguments in EXAMPLES:
        one = run(program, arguments)["total"]
        yield (f"| `{name}` | {one['roofline']['bound']} | {microseconds(one['roofline']['lower_bound_s'])} us | "
               f"{microseconds(one['seconds'])} us | {100 * one['roofline_efficiency']:.1f} % | {waterfall(one)} | "
               f"`{arguments}` |")


def critical_batches(program):
    """The three numbers of the picture; the HTML report holds what is drawn."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "knee.html")
        run(program, f"{KNEE} --html {report}")
        with open(report, encoding="utf-8") as file:
            page = file.read()
    knee = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])["knee"]
    yield "| | batch | |"
    yield "|---|---|---|"
    yield f"| the rule, peak / bandwidth | {knee['rule']:.1f} | activations neglected |"
    yield (f"| critical batch, exact | {knee['critical_batch']:.1f} | "
           "`systole roofline critical-batch --chip tpu_v5e --d 8192 --f 8192 --rates machine` |")
    yield f"| simulated knee | {knee['simulated_knee']:.1f} | the command above |"


def knee_table(program):
    answer = run(program, KNEE)
    yield "| B | T_math | HBM | simulated | residual | HBM: row | turnaround | refresh | idle | simulated by cause |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for one in answer["operators"]:
        cycles = lambda seconds: round(seconds * answer["clock_hz"])
        least = cycles(one["roofline"]["lower_bound_s"])
        bus = one["hbm_time"]
        residual = one["cycles"] - least
        if one["roofline"]["bound"] == "hbm":  # what the page says of it; clocks of the DRAM are rounded to cycles
            assert abs(sum(bus.values()) - bus["data"] - residual) <= 4
        else:
            assert sum(bar["cycles"] for bar in one["waterfall"][1:]) == residual
        yield (f"| {one['m']} | {cycles(one['roofline']['t_math_s'])} | "
               f"{cycles(one['roofline']['levels']['hbm']['seconds'])} | {one['cycles']} | {residual} | "
               f"{bus['row']} | {bus['turnaround']} | {bus['refresh']} | {bus['idle']} | {waterfall(one)} |")


def filled(page, mark, lines):
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, rest = page.split(begin + "\n", 1)
    after = rest.split(end, 1)[1]
    return before + begin + "\n" + "\n".join(lines) + "\n" + end + after


def main():
    program, task, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        page = file.read()
    now = filled(page, "simulated examples", examples_table(program))
    now = filled(now, "critical batch", critical_batches(program))
    now = filled(now, "knee", knee_table(program))
    if task == "--write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != page:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), now.splitlines(True), "the page", "today"))
        print("the page is out of date (tests/docs/simulated_examples.py build/release/systole --write puts it right)")
        sys.exit(1)


main()
