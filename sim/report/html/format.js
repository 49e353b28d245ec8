"use strict";
// Numbers for people, and tables.
const format = (() => {
    const prefixes = ["p", "n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"];

    // Four digits and a prefix: "25.6 GB/s".
    function scaled(value, unit) {
        if (value === null || value === undefined || Number.isNaN(value)) {
            return "\u2013";
        }
        if (!Number.isFinite(value)) {
            return "unlimited";
        }
        if (value === 0) {
            return `0 ${unit}`.trim();
        }
        let power = Math.floor(Math.log10(Math.abs(value)) / 3);
        if (Number((value / 1000 ** power).toPrecision(4)) >= 1000) {
            power += 1;
        }
        power = Math.max(-4, Math.min(6, power));
        const digits = Number((value / 1000 ** power).toPrecision(4));
        return `${digits} ${prefixes[power + 4]}${unit}`.trim();
    }

    const plain = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "\u2013");
    const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
    const percent = (part) => `${(100 * part).toFixed(2)} %`;

    function element(tag, text, attributes = {}) {
        const made = document.createElement(tag);
        if (text !== undefined) {
            made.textContent = text;  // never as HTML: names come from users' files
        }
        for (const [key, value] of Object.entries(attributes)) {
            made.setAttribute(key, value);
        }
        return made;
    }

    // columns: titles, those of words with a "<" before them. rows: { cells: [text or { text, word, value }], header:
    // text, binds }.
    function table(target, columns, rows) {
        const head = element("tr");
        columns.forEach(
            (title) => head.append(element(
                "th", title.replace("<", ""), {scope: "col", ...(title.startsWith("<") ? {class: "word"} : {})})));
        const body = rows.map((row) => {
            const line = element("tr", undefined, row.binds ? {class: "binds"} : {});
            line.append(element("th", row.header, {scope: "row", title: row.header}));
            for (const cell of row.cells) {
                const made =
                    element("td", typeof cell === "object" ? cell.text : cell, cell.word ? {class: "word"} : {});
                for (const [key, value] of Object.entries(cell.data || {})) {
                    made.dataset[key] = value;
                }
                line.append(made);
            }
            return line;
        });
        const thead = element("thead");
        thead.append(head);
        const tbody = element("tbody");
        tbody.append(...body);
        target.replaceChildren(thead, tbody);
    }

    const levelTitles =
        {vmem: "VMEM", hbm: "HBM", pcie: "PCIe", link: "link", compute: "compute", l1: "L1", l2: "L2", l3: "L3"};
    const level = (name) => levelTitles[name] || name;

    return {scaled, plain, count, percent, element, table, level};
})();
