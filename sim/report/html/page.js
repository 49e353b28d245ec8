"use strict";
// Fills the page from the data of the run, and again when the theme or the width changes.
(() => {
    const byId = (id) => document.getElementById(id);
    const data = JSON.parse(byId("data").textContent);
    const everything = [...data.operators, ...(data.operators.length > 1 ? [data.total] : [])];
    const shapeOf = (one) => (one === data.total || one.m === 0 ? "" : `${one.m} x ${one.n} x ${one.k}`);

    function fillHead() {
        document.title = `${data.title} - Systole`;
        byId("title").textContent = data.title;
        byId("summary").textContent = `${format.count(data.total.cycles)} cycles = ${
                                          format.scaled(data.total.seconds, "s")} on the ${data.engine} engine, ` +
            `${format.percent(data.total.roofline_efficiency)} of the roofline's speed. ${data.description}`;
        byId("command").textContent = data.command;
        byId("command").parentElement.hidden = data.command === "";
    }

    function fillOperators() {
        format.table(
            byId("operators"),
            [
                "operator", "<kind", "<M x N x K", "<formats", "<dataflow", "cycles", "simulated", "least time",
                "roofline speed", "array in use", "<bound by"
            ],
            everything.map((one) => ({
                               header: one.name,
                               cells: [
                                   {text: one.kind, word: true},
                                   {text: shapeOf(one), word: true},
                                   {text: one.dtype, word: true},
                                   {text: one.dataflow, word: true},
                                   format.count(one.cycles),
                                   format.scaled(one.seconds, "s"),
                                   format.scaled(one.lower_bound_s, "s"),
                                   format.percent(one.roofline_efficiency),
                                   format.percent(one.array_utilization),
                                   {text: format.level(one.bound), word: true},
                               ],
                           })));
    }

    function fillLevels() {
        const rows = everything.flatMap(
            (one) =>
                [{
                    header: one.name,
                    cells: [{text: "compute", word: true}, "", "", "", "", "", format.scaled(one.t_math_s, "s")],
                    binds: one.bound === "compute"
                },
                 ...one.levels.map((level) => ({
                                       header: one.name,
                                       cells: [
                                           {text: format.level(level.name), word: true},
                                           format.count(level.compulsory_bytes),
                                           format.count(level.tiled_bytes),
                                           format.count(level.simulated_bytes),
                                           format.plain(level.intensity),
                                           level.ridge > 0 ? format.plain(level.ridge) : "\u2013",
                                           format.scaled(level.seconds, "s"),
                                       ],
                                       binds: one.bound === level.name,
                                   })),
        ]);
        format.table(
            byId("levels"),
            [
                "operator", "<level", "compulsory bytes", "tiled bytes", "simulated bytes", "FLOP/byte", "ridge",
                "least time"
            ],
            rows);
    }

    function fillExplanations(one) {
        byId("explanations").replaceChildren(...one.explanations.map((said) => {
            const cause = data.causes.find((known) => known.key === said.cause);
            const item = format.element("li");
            const swatch = format.element("span", undefined, {class: "swatch", "aria-hidden": "true"});
            swatch.style.background = cause.color;
            item.append(
                swatch, format.element("strong", `${cause.title}, ${format.count(said.cycles)} cycles`),
                `: ${said.what}. To shrink it: `, format.element("em", `${said.cure}.`));
            return item;
        }));
        if (one.explanations.length === 0) {
            byId("explanations").replaceChildren(format.element("li", "Nothing was lost."));
        }
    }

    function fillKnee() {
        byId("knee-section").hidden = data.knee === null;
        if (data.knee === null) {
            return;
        }
        const marks = charts.kneeMarks(data).map(
            (mark) => `${mark.title}: ${mark.at === null ? "none" : Number(mark.at.toFixed(1))}`);
        byId("knee-text").textContent = `${data.knee.format} [M,${data.knee.k}] x [${data.knee.k},${
            data.knee.n}], speed over M. Upright lines: ${marks.join("; ")}.`;
    }

    const chosen = () => everything[byId("operator").selectedIndex];

    function showChosen() {
        charts.drawWaterfall(data, chosen());
        fillExplanations(chosen());
    }

    function drawAll() {
        charts.useTheme();
        roofline.draw(
            "roofline", {
                peaks: data.figure.peaks,
                roofs: data.figure.roofs,
                points: data.figure.points.flatMap(
                    (point) => ["analytic", "simulated"].map(
                        (kind) => ({x: point.intensity, y: point[kind], name: point.name, kind}))),
            },
            data.colors);
        if (data.knee !== null) {
            charts.drawKnee(data);
        }
        charts.drawStack(data);
        showChosen();
    }

    function start() {
        fillHead();
        fillOperators();
        fillLevels();
        fillKnee();
        everything.forEach((one, i) => byId("operator").append(format.element("option", one.name, {value: i})));
        byId("operator").selectedIndex = everything.length - 1;
        byId("operator").addEventListener("change", showChosen);
        drawAll();
        byId("what-if-section").hidden = data.what_if === null;
        if (data.what_if !== null) {
            whatIf.start(data);
        }
        const again = () => {
            drawAll();
            if (data.what_if !== null) {
                whatIf.update();
            }
        };
        ["(prefers-color-scheme: dark)", "(max-width: 760px)", "print"].forEach(
            (query) => window.matchMedia(query).addEventListener("change", again));
    }

    start();
})();
