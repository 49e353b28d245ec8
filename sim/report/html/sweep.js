"use strict";
// Fills the page of a sweep from its data, and again when something is chosen or the theme or the width changes.
(() => {
    const byId = (id) => document.getElementById(id);
    const data = JSON.parse(byId("data").textContent);
    const metricIndex = new Map(data.metrics.map((metric, i) => [metric.name, i]));
    const value = (point, name) => point.values[metricIndex.get(name)];
    const fixed = data.axes.map(() => null);  // for each axis the value that points must have; null: any
    let chosen = null;

    const number = (id) => (byId(id).value === "" ? null : Number(byId(id).value));
    const metric = () => data.metrics[number("value")];
    const text = (of, what) => {
        if (what === null) {
            return "\u2013";
        }
        return of.unit === "" ? format.percent(what) :
                                format.scaled(what, {s: "s", Hz: "Hz", bytes: "B"}[of.unit] || "");
    };

    const settings = (point) => data.axes.map((axis, i) => `${axis.name} = ${axis.values[point.at[i]]}`).join(", ");
    function numbers(point) {
        const said = ["seconds", "array_utilization", "roofline_efficiency"].map(
            (name) => text(data.metrics[metricIndex.get(name)], value(point, name)));
        return `${format.count(value(point, "cycles"))} cycles = ${said[0]}, array in use ${said[1]}, ${
            said[2]} of the roofline's speed, bound by ${format.level(point.bound)}`;
    }

    // What the other scripts need to know.
    const page = {
        data,
        value,
        text,
        settings,
        numbers,
        choose: (point) => choose(point),
        columns: () => data.axes[number("x")].values,
        columnOf: (point) => point.at[number("x")],
        rows: () => (number("y") === null ? [""] : data.axes[number("y")].values),
        rowOf: (point) => (number("y") === null ? 0 : point.at[number("y")]),
        color: (i) => data.curves[i % data.curves.length],
        axisName: (id) => (number(id) === null ? "" : data.axes[number(id)].name),
    };

    // Points that have what is fixed of the axes that are not in the pictures.
    const shown = () => data.points.filter((point) => fixed.every((want, i) => want === null || point.at[i] === want));

    function legendOfScale(least, most) {
        const ramp = format.element("span", undefined, {class: "ramp", "aria-hidden": "true"});
        ramp.style.background = `linear-gradient(to right, ${data.scale.join(", ")})`;
        byId("legend").replaceChildren(...(
            least < most ?
                [format.element("span", text(metric(), least)), ramp, format.element("span", text(metric(), most))] :
                []));
    }

    function legendOfWinners(names) {
        byId("legend").replaceChildren(...names.map((name, i) => {
            const item = format.element("span");
            const swatch = format.element("span", undefined, {class: "swatch", "aria-hidden": "true"});
            swatch.style.background = page.color(i);
            item.append(swatch, name);
            return item;
        }));
    }

    function drawHeatmap(points) {
        const winner = number("winner");
        let cells;
        if (winner === null) {
            const found = sweepCells.ofValues(page, points, metric());
            legendOfScale(found.least, found.most);
            cells = found.cells;
        } else {
            legendOfWinners(data.axes[winner].values);
            cells = sweepCells.ofWinners(page, points, metric(), winner);
        }
        const others = data.axes.filter(
            (axis, i) =>
                i !== number("x") && i !== number("y") && i !== winner && fixed[i] === null && axis.values.length > 1);
        byId("heatmap-text").textContent =
            (winner === null ? `${metric().name}: ${metric().help}.` :
                               `Which ${data.axes[winner].name} is best in ${
                                   metric().name}; +N %: so much worse is the second best.`) +
            (others.length > 0 ? ` The best over ${others.map((axis) => axis.name).join(", ")}.` : "");
        const head = format.element("tr");
        head.append(format.element("th", page.axisName("y")));
        page.columns().forEach((name) => head.append(format.element("th", name, {scope: "col"})));
        const body = cells.map((row, r) => {
            const line = format.element("tr");
            line.append(format.element("th", page.rows()[r], {scope: "row", title: page.rows()[r]}));
            row.forEach((cell) => {
                const box = format.element("td");
                if (cell !== undefined) {
                    const button = format.element("button", cell.text, {
                        type: "button",
                        title: `${settings(cell.point)}\n${numbers(cell.point)}\n${cell.point.command}`,
                        "data-point": cell.point.number,
                    });
                    button.style.background = cell.color;
                    button.style.color = sweepCells.ink(cell.color);
                    ["click", "focus", "mouseenter"].forEach(
                        (event) => button.addEventListener(event, () => choose(cell.point)));
                    box.append(button);
                }
                line.append(box);
            });
            return line;
        });
        const thead = format.element("thead");
        thead.append(head);
        const tbody = format.element("tbody");
        tbody.append(...body);
        byId("heatmap").replaceChildren(thead, tbody);
    }

    function drawSpeed(points) {
        const seconds = data.metrics[metricIndex.get("seconds")];
        const best = sweepCells.best(page, points, seconds);
        const first = best.flat().find((point) => point !== undefined);
        byId("speed-section").hidden =
            page.columns().length < 2 || first === undefined || data.axes[number("x")].changes_work;
        if (byId("speed-section").hidden) {
            return;
        }
        // Rows that do different work have a reference each.
        const own = number("y") !== null && data.axes[number("y")].changes_work;
        const reference = (row) => value(own ? row.find((point) => point !== undefined) : first, "seconds");
        byId("speed-text").textContent =
            `Over ${page.axisName("x")}; 1 is the time of ${own ? "the first point of each curve" : settings(first)}.`;
        sweepCharts.drawSpeed(
            page, page.columns(),
            best.map((row, r) => ({
                         name: page.rows()[r],
                         color: page.color(r),
                         points: Array.from(row, (point, column) => ({point, column}))
                                     .filter((one) => one.point !== undefined)
                                     .map((one) => ({...one, speed: reference(row) / value(one.point, "seconds")})),
                     })));
    }

    function drawFront(points) {
        const known = points.filter((point) => value(point, "area") !== null);
        byId("front-section").hidden = known.length === 0;
        if (known.length === 0) {
            return;
        }
        const front = sweepCells.front(page, known);
        sweepCharts.drawFront(page, known, front);
        format.table(
            byId("front-table"), ["point", "time", "area", "array in use", "<command"],
            front.map((point) => ({
                          header: data.axes.map((axis, i) => axis.values[point.at[i]]).join(", "),
                          cells: [
                              format.scaled(value(point, "seconds"), "s"),
                              format.scaled(value(point, "area"), "PEs"),
                              format.percent(value(point, "array_utilization")),
                              {text: point.command, word: true, data: {point: point.number}},
                          ],
                      })));
        [...byId("front-table").tBodies[0].rows].forEach(
            (row, i) => row.addEventListener("click", () => choose(front[i])));
    }

    function choose(point) {
        chosen = point;
        document.querySelectorAll("#heatmap button")
            .forEach((one) => one.setAttribute("aria-pressed", String(Number(one.dataset.point) === point.number)));
        byId("chosen-settings").textContent = settings(point);
        byId("chosen-numbers").textContent = numbers(point);
        byId("chosen-command").textContent = point.command;
        const losses = data.causes.map((cause) => ({cause, slots: value(point, `stack_${cause.key}`) || 0}))
                           .filter((one) => one.cause.key !== "useful" && one.slots > 0)
                           .sort((a, b) => b.slots - a.slots)
                           .slice(0, 3);
        byId("chosen-losses")
            .replaceChildren(losses.length > 0 ? "Lost to " : "Nothing was lost.", ...losses.flatMap((one, i) => {
                const swatch = format.element("span", undefined, {class: "swatch", "aria-hidden": "true"});
                swatch.style.background = one.cause.color;
                const part = format.percent(one.slots / value(point, "pe_slots"));
                return [swatch, `${one.cause.title} ${part}${i + 1 < losses.length ? ", " : ""}`];
            }));
    }

    function drawAll() {
        charts.useTheme();
        const points = shown();
        drawHeatmap(points);
        drawSpeed(points);
        sweepCharts.drawUtilization(page, page.rows().map((name, r) => ({
                                                              name: name === "" ? "points" : name,
                                                              color: page.color(r),
                                                              points: points.filter((point) => page.rowOf(point) === r),
                                                          })));
        drawFront(points);
        if (points.length > 0) {
            choose(points.includes(chosen) ? chosen : sweepCells.bestOf(page, points, metric()));
        }
    }

    function fillSelect(id, options, now) {
        byId(id).replaceChildren(
            ...options.map(([name, key]) => format.element("option", name, {value: key === null ? "" : key})));
        byId(id).value = now === null ? "" : String(now);
    }

    // One axis cannot lie across and down, nor win within itself.
    function fillChoices(x, y, winner) {
        const axes = data.axes.map((axis, i) => [axis.name, i]);
        const down = y === x ? null : y;
        fillSelect("x", axes, x);
        fillSelect("y", [["nothing", null], ...axes.filter(([, i]) => i !== x)], down);
        const rest = axes.filter(([, i]) => i !== x && i !== down && data.axes[i].values.length > 1);
        fillSelect(
            "winner", [["the metric", null], ...rest.map(([name, i]) => [`the best ${name}`, i])],
            rest.some(([, i]) => i === winner) ? winner : null);
        document.querySelectorAll(".fixed").forEach((one) => one.remove());
        fixed.forEach((_, i) => {
            if (!rest.some(([, axis]) => axis === i)) {
                fixed[i] = null;
                return;
            }
            const field = format.element("div", undefined, {class: "field fixed"});
            const select = format.element("select", undefined, {id: `axis-${i}`});
            field.append(format.element("label", data.axes[i].name, {for: `axis-${i}`
            }), select);
            byId("choices").append(field);
            fillSelect(
                `axis-${i}`, [["all values", null], ...data.axes[i].values.map((name, v) => [name, v])], fixed[i]);
            select.addEventListener("change", () => {
                fixed[i] = number(`axis-${i}`);
                drawAll();
            });
        });
    }

    function start() {
        document.title = `${data.title} - Systole`;
        byId("title").textContent = data.title;
        byId("summary").textContent =
            `${format.count(data.points.length)} of ${format.count(data.total)} points${
                data.failed > 0 ? `, ${format.count(data.failed)} failed` : ""}; Systole ${data.version}. ` +
            "A point under the pointer, or touched, is shown below with the command that runs it again.";
        fillSelect(
            "value", data.metrics.map((one, i) => [one.name, i]).filter(([, i]) => data.metrics[i].order !== "none"),
            data.view.value);
        fillChoices(data.view.x, data.view.y, data.view.winner);
        ["x", "y", "winner"].forEach((id) => byId(id).addEventListener("change", () => {
            fillChoices(number("x"), number("y"), number("winner"));
            drawAll();
        }));
        byId("value").addEventListener("change", drawAll);
        drawAll();
        ["(prefers-color-scheme: dark)", "(max-width: 760px)", "print"].forEach(
            (query) => window.matchMedia(query).addEventListener("change", drawAll));
    }

    start();
})();
