"use strict";
// Charts of a sweep: speed-up curves, utilizations, time against area. Points are those of the page's data.
const sweepCharts = (() => {
    // A text in lines of so many characters, broken at blanks where there are any.
    function lines(text, width) {
        const all = [""];
        for (const word of text.split(" ")) {
            const last = all[all.length - 1];
            if (last !== "" && last.length + 1 + word.length > width) {
                all.push(word);
            } else {
                all[all.length - 1] = last === "" ? word : `${last} ${word}`;
            }
        }
        return all;
    }

    // Of a tooltip; settings stay in one piece.
    function saidOf(page, point) {
        const width = charts.narrow() ? 40 : 80;
        return [page.settings(point).replaceAll(" = ", "\u00a0=\u00a0"), page.numbers(point), point.command].flatMap(
            (text) => lines(text, width));
    }

    // Tooltips and clicks of charts whose values carry their point.
    function pointed(page) {
        return {
            tooltip: {
                displayColors: false,
                filter: (_, i) => i < (charts.narrow() ? 1 : 3),  // of points that lie on one another
                callbacks: {
                    label: (item) => (item.raw.point === undefined ? [] : saidOf(page, item.raw.point)),
                    title: () => "",
                },
            },
            legend: {position: "bottom", labels: {usePointStyle: true, boxWidth: 8, boxHeight: 8}},
        };
    }

    const choose = (page) => (_, found, chart) => {
        const hit = found.map((one) => chart.data.datasets[one.datasetIndex].data[one.index]).find((one) => one.point);
        if (hit) {
            page.choose(hit.point);
        }
    };

    function percentScale(text) {
        return {
            type: "linear",
            min: 0,
            max: 104,
            title: {display: true, text},
            afterBuildTicks: (axis) => {
                axis.ticks = [0, 20, 40, 60, 80, 100].map((value) => ({value}));
            },
            ticks: {callback: (value) => `${value} %`, maxRotation: 0},
        };
    }

    // Powers of ten, and 2 and 5 between them where there are few.
    function logScale(text, values, unit) {
        const few = Math.max(...values) / Math.min(...values) < (charts.narrow() ? 20 : 1000);
        return {
            type: "logarithmic",
            min: Math.min(...values) / 1.2,
            max: Math.max(...values) * 1.2,
            title: {display: true, text},
            ticks: {
                maxRotation: 0,
                callback: (value) => {
                    const lead = Number((value / 10 ** Math.floor(Math.log10(value) + 1e-9)).toPrecision(3));
                    return lead === 1 || (few && (lead === 2 || lead === 5)) ? format.scaled(value, unit) : "";
                },
            },
        };
    }

    const dots = (color) => ({borderColor: color, backgroundColor: color, pointRadius: 4, pointHoverRadius: 6});

    // rows: [{name, color, points: [{column, speed, point}]}]
    function drawSpeed(page, columns, rows) {
        charts.draw("speed", {
            type: "line",
            data: {
                labels: columns,
                datasets: rows.map(
                    (row) => ({
                        label: row.name,
                        data: row.points.map((one) => ({x: columns[one.column], y: one.speed, point: one.point})),
                        borderWidth: 2,
                        ...dots(row.color),
                    })),
            },
            options: {
                onClick: choose(page),
                scales: {
                    x: {title: {display: true, text: page.axisName("x")}, ticks: {maxRotation: 0}},
                    y: {beginAtZero: true, title: {display: true, text: "times as fast"}},
                },
                plugins: {...pointed(page), legend: {...pointed(page).legend, display: rows.length > 1}},
            },
        });
    }

    // rows: [{name, color, points}]
    function drawUtilization(page, rows) {
        const spot = (point) => ({
            x: 100 * page.value(point, "roofline_utilization"),
            y: 100 * page.value(point, "array_utilization"),
            point,
        });
        charts.draw("utilization", {
            type: "scatter",
            data: {
                datasets: [
                    ...rows.map((row) => ({label: row.name, data: row.points.map(spot), ...dots(row.color)})),
                    {
                        label: "equal",
                        data: [{x: 0, y: 0}, {x: 104, y: 104}],
                        showLine: true,
                        borderColor: charts.css("--faint"),
                        borderDash: [6, 6],
                        borderWidth: 1,
                        pointRadius: 0,
                        pointHitRadius: 0,
                    },
                ],
            },
            options: {
                onClick: choose(page),
                scales: {x: percentScale("allowed by the roofline"), y: percentScale("simulated")},
                plugins: pointed(page),
            },
        });
    }

    function drawFront(page, points, front) {
        const spot = (point) => ({x: page.value(point, "area"), y: page.value(point, "seconds"), point});
        const stairs = front.map(spot).flatMap((one, i, all) => (i === 0 ? [one] : [{x: one.x, y: all[i - 1].y}, one]));
        charts.draw("front", {
            type: "scatter",
            data: {
                datasets: [
                    {
                        label: "Pareto front",
                        data: stairs,
                        showLine: true,
                        borderWidth: 2,
                        ...dots(page.data.colors.simulated),
                        pointRadius: (context) => (context.raw && context.raw.point ? 5 : 0),
                        pointHitRadius: (context) => (context.raw && context.raw.point ? 4 : 0),
                    },
                    {
                        label: "other points",
                        data: points.filter((point) => !front.includes(point)).map(spot),
                        ...dots("#999999"),
                        pointRadius: 3,
                    },
                ],
            },
            options: {
                onClick: choose(page),
                scales: {
                    x: logScale("area, in PEs (log scale)", points.map((one) => page.value(one, "area")), ""),
                    y: logScale("time (log scale)", points.map((one) => page.value(one, "seconds")), "s"),
                },
                plugins: pointed(page),
            },
        });
    }

    return {drawSpeed, drawUtilization, drawFront};
})();
