"use strict";
// Bars: the cycle stack and the waterfall; and the line chart of the knee.
const charts = (() => {
    const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const narrow = () => window.matchMedia("(max-width: 760px)").matches;

    function useTheme() {
        Chart.defaults.color = css("--ink");
        Chart.defaults.borderColor = css("--line");
        Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
        Chart.defaults.font.size = narrow() ? 12 : 14;
        Chart.defaults.animation = false;
        Chart.defaults.maintainAspectRatio = false;
    }

    // A chart in the canvas, in the place of the one that was there.
    function draw(id, config) {
        const old = Chart.getChart(id);
        if (old) {
            old.destroy();
        }
        return new Chart(id, config);
    }

    const shortened = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}\u2026` : name);

    // "x" and "y" of a horizontal bar chart, with names that leave room for the bars.
    function barScales(title, max, tick) {
        return {
            x: {
                stacked: true,
                min: 0,
                max,
                title: {display: true, text: title},
                ticks: {callback: tick, maxRotation: 0}
            },
            y: {
                stacked: true,
                grid: {display: false},
                ticks: {
                    autoSkip: false,
                    callback(value) {
                        return shortened(this.getLabelForValue(value), narrow() ? 14 : 28);
                    }
                },
            },
        };
    }

    function drawStack(data) {
        const seen = data.causes.filter((cause) => data.operators.some((one) => one.stack[cause.key] > 0));
        document.getElementById("stack-box").style.height = `${(narrow() ? 210 : 120) + 26 * data.operators.length}px`;
        const slots = (one, key) => one.stack[key];
        draw("stack", {
            type: "bar",
            data: {
                labels: data.operators.map((one) => one.name),
                datasets: seen.map((cause) => ({
                                       label: cause.title,
                                       data: data.operators.map((one) => (100 * slots(one, cause.key)) / one.pe_slots),
                                       slots: data.operators.map((one) => slots(one, cause.key)),
                                       backgroundColor: cause.color,
                                       barPercentage: 0.9,
                                       categoryPercentage: 0.9,
                                   })),
            },
            options: {
                indexAxis: "y",
                scales: barScales("part of the operator's PE-slots", 100, (value) => `${value} %`),
                plugins: {
                    legend: {labels: {boxWidth: 12, boxHeight: 12}},
                    tooltip: {
                        callbacks: {
                            label: (item) => `${item.dataset.label}: ${item.parsed.x.toFixed(2)} %, ${
                                format.count(item.dataset.slots[item.dataIndex])} PE-slots`,
                        },
                    },
                },
            },
        });
    }

    // Cycles behind the end of each bar, or before its beginning where there is no room behind.
    const barNumbers = {
        id: "barNumbers",
        afterDatasetsDraw(chart) {
            const context = chart.ctx;
            context.save();
            context.fillStyle = css("--ink");
            context.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;
            context.textBaseline = "middle";
            chart.getDatasetMeta(0).data.forEach((bar, i) => {
                const text = chart.data.datasets[0].numbers[i];
                const width = context.measureText(text).width;
                const behind = bar.x + 6 + width <= chart.chartArea.right;
                const before = bar.base - 6 - width >= chart.chartArea.left;
                if (!behind && !before) {
                    context.fillStyle = "#ffffff";  // on the bar, which is as wide as the chart
                }
                context.textAlign = behind ? "left" : "right";
                context.fillText(text, behind ? bar.x + 6 : before ? bar.base - 6 : bar.x - 6, bar.y);
                context.fillStyle = css("--ink");
            });
            context.restore();
        },
    };

    function drawWaterfall(data, one) {
        const bars = [];
        let upto = 0;
        for (const bar of one.waterfall) {
            const cause = data.causes.find((known) => known.key === bar.cause) || data.causes[0];
            const isMath = bar.cause === "t_math";
            if (bar.cycles > 0 || isMath) {
                bars.push(
                    {title: isMath ? "T_math" : cause.title, color: cause.color, from: upto, to: upto + bar.cycles});
            }
            upto += bar.cycles;
        }
        bars.push({title: "simulated", color: "#6e7781", from: 0, to: one.cycles});
        document.getElementById("waterfall-box").style.height = `${80 + 30 * bars.length}px`;
        draw("waterfall", {
            type: "bar",
            data: {
                labels: bars.map((bar) => bar.title),
                datasets: [{
                    data: bars.map((bar) => [bar.from, bar.to]),
                    numbers: bars.map(
                        (bar) =>
                            `${format.count(bar.to - bar.from)}  ${format.percent((bar.to - bar.from) / one.cycles)}`),
                    backgroundColor: bars.map((bar) => bar.color),
                    minBarLength: 2,
                }],
            },
            options: {
                indexAxis: "y",
                scales: barScales("cycles", undefined, (value) => format.scaled(value, "")),
                plugins: {
                    legend: {display: false},
                    tooltip: {callbacks: {label: (item) => item.dataset.numbers[item.dataIndex]}},
                },
            },
            plugins: [barNumbers],
        });
    }

    const upright = {
        id: "upright",
        afterDatasetsDraw(chart, _, options) {
            const {ctx, chartArea, scales} = chart;
            for (const mark of options.marks.filter((one) => one.at !== null)) {
                const x = scales.x.getPixelForValue(mark.at);
                if (x >= chartArea.left && x <= chartArea.right) {
                    ctx.save();
                    ctx.strokeStyle = mark.color;
                    ctx.lineWidth = 2;
                    ctx.setLineDash(mark.dash);
                    ctx.beginPath();
                    ctx.moveTo(x, chartArea.top);
                    ctx.lineTo(x, chartArea.bottom);
                    ctx.stroke();
                    ctx.restore();
                }
            }
        },
    };

    function kneeMarks(data) {
        return [
            {
                title: `rule, ${format.level(data.knee.level)} ridge`,
                at: data.knee.rule,
                color: css("--faint"),
                dash: [2, 4]
            },
            {title: "critical batch, exact", at: data.knee.critical_batch, color: data.colors.analytic, dash: [8, 6]},
            {title: "simulated knee", at: data.knee.simulated_knee, color: data.colors.simulated, dash: []},
        ];
    }

    // Those values that are far enough apart on a logarithmic axis for their labels.
    function spread(values) {
        const apart = narrow() ? 1.95 : 1.3;
        const kept = [];
        for (const value of values) {
            if (kept.length === 0 || value >= apart * kept[kept.length - 1]) {
                kept.push(value);
            }
        }
        return kept;
    }

    function drawKnee(data) {
        const knee = data.knee;
        const series = (label, key, color, fill) => ({
            label,
            data: knee.points.map((point) => ({x: point.m, y: 100 * point[key]})),
            borderColor: color,
            backgroundColor: fill ? color : css("--paper"),
            borderWidth: 2,
            pointRadius: 4,
        });
        draw("knee", {
            type: "scatter",
            data: {
                datasets: [
                    {...series("analytic", "analytic", data.colors.analytic, false), showLine: true},
                    {...series("simulated", "simulated", data.colors.simulated, true), showLine: true},
                ],
            },
            options: {
                scales: {
                    x: {
                        type: "logarithmic",
                        title: {display: true, text: "M, rows of A (log scale)"},
                        min: knee.points[0].m / 1.2,
                        max: knee.points[knee.points.length - 1].m * 1.2,
                        afterBuildTicks: (axis) => {
                            axis.ticks = spread(knee.points.map((point) => point.m)).map((value) => ({value}));
                        },
                        ticks: {callback: (value) => value, maxRotation: 0},
                    },
                    y: {
                        min: 0,
                        max: 105,
                        title: {display: true, text: "% of peak"},
                        afterBuildTicks: (axis) => {
                            axis.ticks = [0, 20, 40, 60, 80, 100].map((value) => ({value}));
                        },
                    },
                },
                plugins: {
                    upright: {marks: kneeMarks(data)},
                    legend: {position: "bottom", labels: {usePointStyle: true, boxWidth: 8, boxHeight: 8}},
                    tooltip: {
                        callbacks: {
                            label: (item) =>
                                `M = ${item.parsed.x}, ${item.dataset.label}: ${item.parsed.y.toFixed(2)} % of peak`
                        }
                    },
                },
            },
            plugins: [upright],
        });
    }

    return {css, narrow, useTheme, draw, drawStack, drawWaterfall, drawKnee, kneeMarks};
})();
