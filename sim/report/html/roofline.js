"use strict";
// The roofline chart: roofs as lines with their names along them, ridges named above, points.
const roofline = (() => {
    const lines = (figure, range) => {
        const top = Math.max(...figure.peaks.map((peak) => peak.flops));
        const fastest = Math.max(...figure.roofs.map((roof) => roof.bandwidth), 0);
        const flat = figure.peaks.map(
            (peak) => ({
                kind: "peak",
                name: peak.label,
                text: `${peak.label} ${format.scaled(peak.flops, "FLOP/s")}`,
                dash: peak.sparse ? [8, 6] : [],
                below:
                    peak.flops === Math.min(...figure.peaks.map((one) => one.flops)),  // its double has the room above
                data: [
                    {x: fastest > 0 ? Math.max(range.x[0], peak.flops / fastest) : range.x[0], y: peak.flops},
                    {x: range.x[1], y: peak.flops}
                ],
            }));
        const slanted = figure.roofs.map((roof) => {
            const from = Math.max(range.x[0], range.y[0] / roof.bandwidth);
            const to = Math.min(range.x[1], top / roof.bandwidth);
            return {
                kind: "roof",
                name: roof.label,
                text: `${roof.label} ${format.scaled(roof.bandwidth, "B/s")}`,
                dash: [],
                data: [{x: from, y: from * roof.bandwidth}, {x: to, y: to * roof.bandwidth}],
            };
        });
        return [...flat, ...slanted];
    };

    const ridgesOf = (figure) => {
        const dense = Math.min(...figure.peaks.map((peak) => peak.flops));
        return figure.roofs.map((roof) => ({
                                    x: dense / roof.bandwidth,
                                    y: dense,
                                    text: `${roof.label} ridge ${format.plain(dense / roof.bandwidth)}`
                                }));
    };

    // All that is shown, with a margin of a factor of 3.
    function rangeOf(figure) {
        const points = [...figure.points, ...ridgesOf(figure)];
        const xs = points.map((point) => point.x).filter((x) => Number.isFinite(x) && x > 0);
        const x = [Math.min(...xs) / 3, Math.max(...xs) * 3];
        const ys = [
            ...points.map((point) => point.y), ...figure.peaks.map((peak) => peak.flops),
            ...figure.roofs.map((roof) => roof.bandwidth * x[0])
        ];
        return {x, y: [Math.min(...ys) / 1.5, Math.max(...ys) * 1.8]};
    }

    function writeAlong(chart, line, shift) {
        const {ctx, scales} = chart;
        const [from, to] =
            line.data.map((point) => ({x: scales.x.getPixelForValue(point.x), y: scales.y.getPixelForValue(point.y)}));
        ctx.save();
        const write = (x, y) => {
            ctx.strokeText(line.text, x, y);  // a halo of paper, as lines cross here
            ctx.fillText(line.text, x, y);
        };
        ctx.textBaseline = "alphabetic";  // Chart.js may have left "middle", which puts names onto their lines
        ctx.strokeStyle = charts.css("--paper");
        ctx.lineWidth = 4;
        ctx.lineJoin = "round";
        if (line.kind === "peak") {
            ctx.textAlign = "right";
            write(chart.chartArea.right, line.below ? from.y + 4 + Chart.defaults.font.size : from.y - 5);
        } else {
            ctx.translate(from.x, from.y);
            ctx.rotate(Math.atan2(to.y - from.y, to.x - from.x));
            write(10 + shift, -5);
        }
        ctx.restore();
    }

    // Names of roofs that lie close together are written one behind the other.
    function writeNames(chart, all) {
        let before = null;
        let shift = 0;
        for (const line of all) {
            const y = chart.scales.y.getPixelForValue(line.data[0].y);
            const close =
                line.kind === "roof" && before !== null && Math.abs(y - before) < 2.2 * Chart.defaults.font.size;
            shift = close ? shift + chart.ctx.measureText(line.text).width + 14 : 0;
            writeAlong(chart, line, shift);
            before = line.kind === "roof" ? y : null;
        }
    }

    // Above the chart, in as many rows as it takes.
    function writeRidges(chart, ridges) {
        const {ctx, scales, chartArea} = chart;
        const height = 1.3 * Chart.defaults.font.size;
        const taken = [];
        ctx.textAlign = "center";
        for (const ridge of ridges) {
            const at = scales.x.getPixelForValue(ridge.x);
            const half = ctx.measureText(ridge.text).width / 2 + 4;
            const x = Math.max(half, Math.min(chart.width - half, at));
            let row = 0;
            while (taken.some((one) => one.row === row && x - half < one.x + one.half && one.x - one.half < x + half)) {
                row += 1;
            }
            taken.push({row, x, half});
            const y = chartArea.top - 6 - row * height;
            ctx.fillText(ridge.text, x, y);
            ctx.setLineDash([2, 3]);
            ctx.beginPath();
            ctx.moveTo(at, y + 3);
            ctx.lineTo(at, scales.y.getPixelForValue(ridge.y));
            ctx.stroke();
            ctx.setLineDash([]);
        }
    }

    // Over the lines, under the points, which come first in `datasets` and are drawn last.
    const names = {
        id: "names",
        beforeDatasetDraw(chart, drawn, options) {
            if (drawn.index !== 0) {
                return;
            }
            const {ctx} = chart;
            ctx.save();
            ctx.fillStyle = charts.css("--ink");
            ctx.strokeStyle = charts.css("--faint");
            ctx.font = `${Chart.defaults.font.size - 1}px ${Chart.defaults.font.family}`;
            writeNames(chart, options.lines);
            writeRidges(chart, options.ridges);
            ctx.restore();
        },
    };

    // Powers of ten alone have a label.
    const decade = (unit) => (value) => {
        const power = Math.log10(value);
        return Math.abs(power - Math.round(power)) < 1e-9 ? format.scaled(value, unit) : "";
    };

    const axis = (title, range, unit) => ({
        type: "logarithmic",
        min: range[0],
        max: range[1],
        title: {display: title !== "", text: title},
        ticks: {callback: decade(unit), maxRotation: 0, autoSkip: false},
        grid: {
            color: (context) =>
                (decade("")(context.tick ? context.tick.value : 2) ? charts.css("--line") : "transparent")
        },
    });

    const pointSets =
        (figure, colors) => ["analytic", "simulated"]
                                .map((kind) => ({
                                         label: kind === "analytic" ? "analytic: the least time" : "simulated",
                                         kind,
                                         data: figure.points.filter((point) => point.kind === kind),
                                         borderColor: colors[kind],
                                         backgroundColor: kind === "analytic" ? "transparent" : colors[kind],
                                         borderWidth: 2.5,
                                         pointRadius: kind === "analytic" ? 7 : 4.5,
                                         pointHoverRadius: 9,
                                         pointHitRadius: 12,
                                         order: kind === "analytic" ? 1 : 0,
                                     }))
                                .filter((set) => set.data.length > 0);

    // figure: peaks, roofs, points of { x, y, name, kind }. The points come first in `datasets`.
    function draw(id, figure, colors) {
        const range = rangeOf(figure);
        const all = lines(figure, range);
        const ridges = ridgesOf(figure);
        return charts.draw(id, {
            type: "scatter",
            data: {
                datasets: [
                    ...pointSets(figure, colors),
                    ...all.map((line) => ({
                                   label: line.name,
                                   kind: line.kind,
                                   data: line.data,
                                   showLine: true,
                                   borderColor: charts.css("--roof"),
                                   borderDash: line.dash,
                                   borderWidth: 2,
                                   pointRadius: 0,
                                   pointHitRadius: 0,
                                   order: 5,
                               })),
                    {
                        label: "ridges",
                        kind: "ridge",
                        data: ridges,
                        backgroundColor: charts.css("--roof"),
                        pointStyle: "rectRot",
                        pointRadius: 5,
                        pointHitRadius: 8,
                        order: 4
                    },
                ],
            },
            options: {
                layout: {padding: {top: 4 + 1.3 * Chart.defaults.font.size * (charts.narrow() ? 3 : 2), right: 6}},
                scales: {
                    x: axis("FLOP per byte of the slowest level", range.x, ""),
                    y: axis("", range.y, "FLOP/s"),
                },
                plugins: {
                    names: {lines: all, ridges},
                    legend: {
                        position: "bottom",
                        labels: {
                            usePointStyle: true,
                            boxWidth: 8,
                            boxHeight: 8,
                            filter: (
                                item, data) => ["analytic", "simulated"].includes(data.datasets[item.datasetIndex].kind)
                        },
                    },
                    tooltip: {
                        callbacks: {
                            label(item) {
                                const raw = item.raw;
                                const what = raw.name === undefined ? raw.text : `${raw.name}, ${raw.kind}`;
                                return [what, format.scaled(raw.y, "FLOP/s"), `${format.plain(raw.x)} FLOP/byte`];
                            },
                        },
                    },
                },
            },
            plugins: [names],
        });
    }

    return {draw};
})();
