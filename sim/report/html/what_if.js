"use strict";
// Sliders for B, D, F, formats, sparsity, chip and number of chips: the analytic point and its times follow.
const whatIf = (() => {
    const byId = (id) => document.getElementById(id);
    const numbers = ["batch", "d", "f", "chips"];
    const most = {batch: 1 << 17, d: 1 << 17, f: 1 << 17, chips: 4096};
    const stepsPerDoubling = 8;
    let data = null;

    // Sliders run over powers of 2^(1/8), rounded to four bits, so that powers of two are met.
    function valueAt(step, id) {
        const value = 2 ** (step / (id === "chips" ? 1 : stepsPerDoubling));
        const grain = 2 ** Math.max(0, Math.floor(Math.log2(value)) - 4);
        return Math.round(value / grain) * grain;
    }
    const stepOf = (value, id) => Math.round(Math.log2(Math.max(1, value)) * (id === "chips" ? 1 : stepsPerDoubling));

    const chipOf = () => data.chips[byId("chip").selectedIndex];
    const ratesOf = (chip) => chip.rates[byId("rates").value];

    // What can be chosen: every format whose peak is known, and narrower weights with wider activations.
    function dtypesOf(rates) {
        const known = data.formats.filter((one) => rates.peaks[one.name] !== undefined).map((one) => one.name);
        const wide = known.filter((name) => ["bf16", "fp16"].includes(name));
        return [...known, ...wide.flatMap((name) => ["int8", "int4"].map((narrow) => `${name},${narrow},${name}`))];
    }

    function fillSelect(select, values, titles = values) {
        const before = select.value;
        select.replaceChildren(...values.map((value, i) => format.element("option", titles[i], {value})));
        if (values.includes(before)) {
            select.value = before;
        }
    }

    // A chip may have no array, so no machine's rates, and no links, so no neighbours.
    function followChip() {
        const chip = chipOf();
        const rates = byId("rates");
        rates.querySelector("[value=machine]").disabled = !chip.rates.machine;
        if (!chip.rates[rates.value]) {
            rates.value = "nominal";
        }
        fillSelect(byId("dtype"), dtypesOf(ratesOf(chip)));
        const linked = ratesOf(chip).levels.some((level) => level.name === "link");
        for (const id of ["chips", "chips-slider", "along"]) {
            byId(id).disabled = !linked;
        }
        if (!linked) {
            byId("chips").value = 1;
            byId("chips-slider").value = 0;
        }
    }

    function shapeNow() {
        const shape = {
            along: byId("along").value,
            from: byId("from").value,
            sparsity: data.sparsities.find((one) => one.name === byId("sparsity").value),
        };
        numbers.forEach((id) => {
            shape[id] = byId(id).value.trim() === "" ? NaN : Number(byId(id).value);
        });
        return shape;
    }

    const quoted = (text) => (/^[\w./:,=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

    // The command whose numbers these are: a split among chips where there are links, else the plain product.
    function commandOf(shape, chip) {
        const linked = ratesOf(chip).levels.some((level) => level.name === "link");
        const what = linked ?
            [
                "split", "--chip", chip.argument, "--batch", shape.batch, "--d", shape.d, "--f", shape.f, "--chips",
                shape.chips, "--along", shape.along
            ] :
            ["--chip", chip.argument, "--gemm", `${shape.batch}x${shape.f}x${shape.d}`];
        const words = ["systole", "roofline", ...what, "--dtype", byId("dtype").value];
        chip.overrides.forEach((one) => words.push("--set", one));
        if (byId("rates").value !== "nominal") {
            words.push("--rates", byId("rates").value);
        }
        if (shape.sparsity.name !== "dense") {
            words.push("--sparsity", shape.sparsity.name);
        }
        if (shape.from !== "hbm") {
            words.push("--from", shape.from);
        }
        return words.map((word) => quoted(String(word))).join(" ");
    }

    const timeCell = (key, value) => ({text: format.scaled(value, "s"), data: {key, value}});

    function showTable(result) {
        const binds = (name) => result.bound === name;
        const rows =
            [{header: "compute", cells: ["", "", "", timeCell("t_math_s", result.mathS)], binds: binds("compute")}];
        for (const level of result.levels) {
            rows.push({
                header: format.level(level.name),
                cells: [
                    {text: format.scaled(level.bandwidth, "B/s")},
                    {
                        text: format.scaled(level.compulsoryBytes, "B"),
                        data: {key: `${level.name}.compulsory_bytes`, value: level.compulsoryBytes}
                    },
                    {
                        text: level.ridge === 0 ? "\u2013" : format.plain(level.ridge),
                        data: {key: `${level.name}.ridge`, value: level.ridge}
                    },
                    timeCell(`${level.name}.seconds`, level.seconds),
                ],
                binds: binds(level.name),
            });
        }
        const whole = (header, cell) => rows.push({header, cells: ["", "", "", cell]});
        whole("least time", timeCell("lower_bound_s", result.lowerBoundS));
        whole("nothing overlapped", timeCell("upper_bound_s", result.upperBoundS));
        whole("bound by", {text: format.level(result.bound), data: {key: "bound", value: result.bound}});
        whole("speed", {
            text: format.scaled(result.attainable, "FLOP/s"),
            data: {key: "attainable_flops", value: result.attainable}
        });
        whole(
            "math's share of the time",
            {text: format.percent(result.utilization), data: {key: "utilization", value: result.utilization}});
        if (result.criticalD !== null) {
            whole(
                "D from which math outlasts the link",
                {text: format.plain(result.criticalD), data: {key: "critical_d", value: result.criticalD}});
        }
        format.table(byId("what-if-table"), ["", "bandwidth", "bytes", "ridge", "time"], rows);
    }

    function showChart(result, rates, shape) {
        const levels = rates.levels.filter(model.crossed(shape.from)).filter((level) => level.bandwidth !== null);
        const roofs = levels.filter((level) => level.name !== "link" || result.linkBytes > 0);
        const point = model.pointOf(result);
        const label = byId("dtype").value;
        const dense = shape.sparsity.name === "dense";
        const sparsePeaks = dense ? [] : [{label: `${label} ${shape.sparsity.name}`, flops: result.peak, sparse: true}];
        roofline.draw(
            "what-if", {
                peaks: [{label, flops: result.densePeak, sparse: false}, ...sparsePeaks],
                roofs: roofs.map((level) => ({label: format.level(level.name), bandwidth: level.bandwidth}))
                           .sort((a, b) => b.bandwidth - a.bandwidth),
                points: [{...point, name: `[${shape.batch},${shape.d}] x [${shape.d},${shape.f}]`, kind: "analytic"}],
            },
            data.colors);
    }

    function update() {
        const shape = shapeNow();
        const chip = chipOf();
        const operands = model.operandFormats(data.formats, byId("dtype").value);
        const problem = model.problemOf(shape, ratesOf(chip), operands);
        byId("what-if-problem").hidden = problem === null;
        byId("what-if-problem").textContent = problem || "";
        if (problem !== null) {
            return;
        }
        const result = model.evaluate(shape, ratesOf(chip), operands);
        byId("what-if-command").textContent = commandOf(shape, chip);
        showTable(result);
        showChart(result, ratesOf(chip), shape);
    }

    function setUpNumbers() {
        for (const id of numbers) {
            const slider = byId(`${id}-slider`);
            slider.min = 0;
            slider.max = stepOf(most[id], id);
            slider.step = 1;
            byId(id).value = data.what_if[id];
            slider.value = stepOf(data.what_if[id], id);
            const say = () => slider.setAttribute("aria-valuetext", byId(id).value);
            say();
            slider.addEventListener("input", () => {
                byId(id).value = valueAt(Number(slider.value), id);
                say();
                update();
            });
            byId(id).addEventListener("input", () => {
                slider.value = stepOf(Number(byId(id).value), id);
                say();
                update();
            });
        }
    }

    function start(all) {
        data = all;
        fillSelect(byId("chip"), data.chips.map((chip, i) => String(i)), data.chips.map((chip) => chip.title));
        byId("chip").value = String(data.what_if.chip);
        byId("from").value = data.what_if.from;
        fillSelect(byId("sparsity"), data.sparsities.map((one) => one.name));
        byId("sparsity").value = data.what_if.sparsity;
        setUpNumbers();
        followChip();
        byId("dtype").value = data.what_if.dtype;
        if (byId("dtype").selectedIndex < 0) {
            byId("dtype").selectedIndex = 0;
        }
        ["chip", "rates"].forEach((id) => byId(id).addEventListener("change", () => {
            followChip();
            update();
        }));
        ["along", "dtype", "from", "sparsity"].forEach((id) => byId(id).addEventListener("change", update));
        byId("what-if-form").addEventListener("submit", (event) => event.preventDefault());
        update();
    }

    return {start, update};
})();
