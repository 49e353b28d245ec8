"use strict";
// What the cells of a heatmap say, and which points are the Pareto front: of points and what the page shows, no
// drawing.
const sweepCells = (() => {
    const better = (of, a, b) => (of.order === "higher" ? a > b : a < b);

    // [row][column]: the best of these points in the metric, or undefined.
    function best(page, points, of) {
        const found = page.rows().map(() => new Array(page.columns().length));
        for (const point of points) {
            const own = page.value(point, of.name);
            const row = found[page.rowOf(point)];
            const column = page.columnOf(point);
            if (own !== null && (row[column] === undefined || better(of, own, page.value(row[column], of.name)))) {
                row[column] = point;
            }
        }
        return found;
    }

    // The best of all; the first where nothing is known.
    function bestOf(page, points, of) {
        const known = points.filter((point) => page.value(point, of.name) !== null);
        const first = (a, b) => (better(of, page.value(b, of.name), page.value(a, of.name)) ? b : a);
        return known.length > 0 ? known.reduce(first) : points[0];
    }

    const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

    // Of 0 to 1, along the stops of a scale.
    function mixed(scale, part) {
        const place = part * (scale.length - 1);
        const below = Math.min(Math.floor(place), scale.length - 2);
        const [a, b] = [channels(scale[below]), channels(scale[below + 1])];
        const sum = a.map((one, i) => Math.round(one + (place - below) * (b[i] - one)));
        return `#${sum.map((one) => one.toString(16).padStart(2, "0")).join("")}`;
    }

    // Of a text on this colour.
    function ink(background) {
        const [red, green, blue] = channels(background);
        return 0.299 * red + 0.587 * green + 0.114 * blue < 140 ? "#ffffff" : "#000000";
    }

    // {least, most, cells}, cells[row][column]: {point, text, color} or undefined.
    function ofValues(page, points, of) {
        const found = best(page, points, of);
        const all = found.flat().filter((point) => point !== undefined).map((point) => page.value(point, of.name));
        const [least, most] = [Math.min(...all), Math.max(...all)];
        const cell = (point) => {
            if (point === undefined) {
                return undefined;
            }
            const own = page.value(point, of.name);
            const part = most > least ? (own - least) / (most - least) : 0.5;
            return {point, text: page.text(of, own), color: mixed(page.data.scale, part)};
        };
        return {least, most, cells: found.map((row) => Array.from(row, cell))};
    }

    // order: [{name, i, point, own}] of one cell.
    function winner(page, order, of) {
        if (order.length === 0) {
            return undefined;
        }
        const first = order.reduce((a, b) => (better(of, b.own, a.own) ? b : a));
        const equals = order.filter((one) => one.own === first.own).map((one) => one.name).join(" = ");
        const others = order.filter((one) => one.own !== first.own).map((one) => one.own);
        let ahead = "";
        if (others.length > 0) {
            const second = others.reduce((a, b) => (better(of, b, a) ? b : a));
            const small = Math.min(first.own, second);
            const percent = 100 * (Math.max(first.own, second) / small - 1);
            ahead = small > 0 ? ` +${percent.toFixed(percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0)} %` : "";
        }
        return {point: first.point, text: equals + ahead, color: page.color(first.i)};
    }

    // cells[row][column]: which value of the axis is best there.
    function ofWinners(page, points, of, axis) {
        const values = page.data.axes[axis].values;
        const bests = values.map((_, i) => best(page, points.filter((point) => point.at[axis] === i), of));
        const order = (r, c) => values.map((name, i) => ({name, i, point: bests[i][r][c]}))
                                    .filter((one) => one.point !== undefined)
                                    .map((one) => ({...one, own: page.value(one.point, of.name)}));
        return page.rows().map((_, r) => page.columns().map((__, c) => winner(page, order(r, c), of)));
    }

    // As `systole sweep show --pareto time,area`, by area.
    function front(page, points) {
        const area = (point) => page.value(point, "area");
        const time = (point) => page.value(point, "seconds");
        const found = [];
        for (const point of [...points].sort((a, b) => area(a) - area(b) || time(a) - time(b))) {
            const last = found[found.length - 1];
            const equal = last && area(last) === area(point) && time(last) === time(point);
            if (!last || equal || time(point) < time(last)) {
                found.push(point);
            }
        }
        return found;
    }

    return {best, bestOf, ink, ofValues, ofWinners, front};
})();
