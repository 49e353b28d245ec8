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
    const better = (of, a, b) => (of.order === "higher" ? a > b : a < b);
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

    const page = {
        data,
        value,
        settings,
        numbers,
        choose,
        axisName: (id) => (number(id) === null ? "" : data.axes[number(id)].name),
    };

    // Points that have what is fixed of the axes that are not in the pictures.
    const shown = () => data.points.filter((point) => fixed.every((want, i) => want === null || point.at[i] === want));
    const columns = () => data.axes[number("x")].values;
    const rows = () => (number("y") === null ? [""] : data.axes[number("y")].values);
    const rowOf = (point) => (number("y") === null ? 0 : point.at[number("y")]);
    const color = (i) => data.curves[i % data.curves.length];

    // [row][column]: the best of these points in the metric, or undefined.
    function bestOfCells(points, of) {
        const best = rows().map(() => new Array(columns().length));
        for (const point of points) {
            const own = value(point, of.name);
            const there = best[rowOf(point)][point.at[number("x")]];
            if (own !== null && (there === undefined || better(of, own, value(there, of.name)))) {
                best[rowOf(point)][point.at[number("x")]] = point;
            }
        }
        return best;
    }

    // What a cell says: {point, text, color}.
    function valueCells(points) {
        const best = bestOfCells(points, metric());
        const all = best.flat().filter((point) => point !== undefined).map((point) => value(point, metric().name));
        const [least, most] = [Math.min(...all), Math.max(...all)];
        legendOfScale(least, most);
        return best.map((row) => Array.from(row, (point) => {
            if (point === undefined) {
                return undefined;
            }
            const own = value(point, metric().name);
            const part = most > least ? (own - least) / (most - least) : 0.5;
            return {point, text: text(metric(), own), color: mixed(part)};
        }));
    }

    function winnerCells(points, axis) {
        const values = data.axes[axis].values;
        const bests = values.map((_, i) => bestOfCells(points.filter((point) => point.at[axis] === i), metric()));
        byId("legend").replaceChildren(...values.map((name, i) => {
            const item = format.element("span");
            const swatch = format.element("span", undefined, {class: "swatch", "aria-hidden": "true"});
            swatch.style.background = color(i);
            item.append(swatch, name);
            return item;
        }));
        return rows().map((_, r) => columns().map((__, c) => {
            const order = values.map((name, i) => ({name, i, point: bests[i][r][c]}))
                              .filter((one) => one.point !== undefined)
                              .map((one) => ({...one, own: value(one.point, metric().name)}));
            if (order.length === 0) {
                return undefined;
            }
            const first = order.reduce((a, b) => (better(metric(), b.own, a.own) ? b : a));
            const equals = order.filter((one) => one.own === first.own).map((one) => one.name).join(" = ");
            const others = order.filter((one) => one.own !== first.own).map((one) => one.own);
            let ahead = "";
            if (others.length > 0) {
                const second = others.reduce((a, b) => (better(metric(), b, a) ? b : a));
                const small = Math.min(first.own, second);
                const percent = 100 * (Math.max(first.own, second) / small - 1);
                ahead = small > 0 ? ` +${percent.toFixed(percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0)} %` : "";
            }
            return {point: first.point, text: equals + ahead, color: color(first.i)};
        }));
    }

    const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    function mixed(part) {
        const place = part * (data.scale.length - 1);
        const below = Math.min(Math.floor(place), data.scale.length - 2);
        const [a, b] = [channels(data.scale[below]), channels(data.scale[below + 1])];
        return "#" +
            a.map((one, i) => Math.round(one + (place - below) * (b[i] - one)).toString(16).padStart(2, "0")).join("");
    }
    const ink = (background) => {
        const [red, green, blue] = channels(background);
        return 0.299 * red + 0.587 * green + 0.114 * blue < 140 ? "#ffffff" : "#000000";
    };

    function legendOfScale(least, most) {
        const ramp = format.element("span", undefined, {class: "ramp", "aria-hidden": "true"});
        ramp.style.background = `linear-gradient(to right, ${data.scale.join(", ")})`;
        byId("legend").replaceChildren(...(
            least < most ?
                [format.element("span", text(metric(), least)), ramp, format.element("span", text(metric(), most))] :
                []));
    }

    function drawHeatmap(points) {
        const winner = number("winner");
        const cells = winner === null ? valueCells(points) : winnerCells(points, winner);
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
        columns().forEach((name) => head.append(format.element("th", name, {scope: "col"})));
        const body = cells.map((row, r) => {
            const line = format.element("tr");
            line.append(format.element("th", rows()[r], {scope: "row", title: rows()[r]}));
            row.forEach((cell) => {
                const box = format.element("td");
                if (cell !== undefined) {
                    const button = format.element("button", cell.text, {
                        type: "button",
                        title: `${settings(cell.point)}\n${numbers(cell.point)}\n${cell.point.command}`,
                        "data-point": cell.point.number,
                    });
                    button.style.background = cell.color;
                    button.style.color = ink(cell.color);
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
        const best = bestOfCells(points, seconds);
        const first = best.flat().find((point) => point !== undefined);
        byId("speed-section").hidden = columns().length < 2 || first === undefined;
        if (byId("speed-section").hidden) {
            return;
        }
        const reference = value(first, "seconds");
        byId("speed-text").textContent = `Over ${page.axisName("x")}; 1 is the time of ${settings(first)}.`;
        sweepCharts.drawSpeed(
            page, columns(),
            best.map((row, r) => ({
                         name: rows()[r],
                         color: color(r),
                         points: Array.from(row, (point, column) => ({point, column}))
                                     .filter((one) => one.point !== undefined)
                                     .map((one) => ({...one, speed: reference / value(one.point, "seconds")})),
                     })));
    }

    // As `systole sweep show --pareto time,area`.
    function frontOf(points) {
        const order = [...points].sort(
            (a, b) => value(a, "area") - value(b, "area") || value(a, "seconds") - value(b, "seconds"));
        const front = [];
        for (const point of order) {
            const last = front[front.length - 1];
            const equal = last && value(last, "area") === value(point, "area") &&
                value(last, "seconds") === value(point, "seconds");
            if (!last || equal || value(point, "seconds") < value(last, "seconds")) {
                front.push(point);
            }
        }
        return front;
    }

    function drawFront(points) {
        const known = points.filter((point) => value(point, "area") !== null);
        byId("front-section").hidden = known.length === 0;
        if (known.length === 0) {
            return;
        }
        const front = frontOf(known);
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
        sweepCharts.drawUtilization(page, rows().map((name, r) => ({
                                                         name: name === "" ? "points" : name,
                                                         color: color(r),
                                                         points: points.filter((point) => rowOf(point) === r),
                                                     })));
        drawFront(points);
        if (points.length > 0) {
            const of = metric();
            choose(
                points.includes(chosen) ?
                    chosen :
                    points.reduce(
                        (a, b) =>
                            (value(b, of.name) !== null && better(of, value(b, of.name), value(a, of.name)) ? b : a)));
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
