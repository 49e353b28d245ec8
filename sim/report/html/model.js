"use strict";
// The analytic model of a matrix product on one chip or split among several, term by term as sim/roofline/ has it
// (collective.cpp, matmul.cpp, roof.cpp), in the same order of operations, so that the doubles are the same.
const model = (() => {
    const bitsOf = (formats, name) => formats.find((one) => one.name === name).bits;

    // "bf16", "bf16,int8" or "bf16,int8,bf16": activations, weights, results; B and C like A if left out.
    function operandFormats(formats, text) {
        const names = text.split(",");
        const pick = (i) => names[i] || names[0];
        return ["a", "b", "c"].reduce(
            (all, key, i) => ({...all, [key]: {name: pick(i), bits: bitsOf(formats, pick(i))}}), {});
    }

    // Packed elements; a last partial byte counts whole.
    const storedBytes = (elements, format) => Math.ceil((elements * format.bits) / 8);

    // That of the slower operand format; of B's alone nothing need be known.
    function peakOf(rates, operands) {
        const ofA = rates.peaks[operands.a.name];
        const ofB = rates.peaks[operands.b.name];
        return ofA === undefined ? undefined : Math.min(ofA, ofB === undefined ? ofA : ofB);
    }

    // What the math gains from weights in N:M sparsity, counted in FLOPs of the dense product.
    const sparsePeak = (peak, sparsity) => (sparsity.group / sparsity.keep) * peak;

    // Of k x n weights: dense, or N values of every group of M and an index for each of them.
    function weightBytes(k, n, format, sparsity) {
        if (sparsity.index_bits === 0) {
            return storedBytes(k * n, format);
        }
        const values = Math.ceil(k / sparsity.group) * sparsity.keep * n;
        return storedBytes(values, format) + storedBytes(values, {bits: sparsity.index_bits});
    }

    const crossed = (from) => (level) =>
        !(level.name === "pcie" && from !== "host") && !(level.name === "hbm" && from === "vmem");

    // Bytes over one link of a ring in one direction: an all-reduce of the partial sums if the contraction is split.
    function linkBytes(shape, operands) {
        if (shape.along !== "d") {
            return 0;
        }
        const result = shape.batch * shape.f * (operands.c.bits / 8);
        return ((2 * (shape.chips - 1)) / shape.chips) * result;
    }

    function workOf(shape, operands) {
        const alongD = shape.along === "d";
        const n = alongD ? shape.f : Math.ceil(shape.f / shape.chips);
        const k = alongD ? Math.ceil(shape.d / shape.chips) : shape.d;
        return {
            flops: 2 * (shape.batch * n * k),
            inBytes: storedBytes(shape.batch * k, operands.a) + weightBytes(k, n, operands.b, shape.sparsity),
            outBytes: storedBytes(shape.batch * n, operands.c),
            linkBytes: linkBytes(shape, operands),
        };
    }

    function crossing(work, level, peak) {
        const compulsory = level.name === "link" ? work.linkBytes : work.inBytes + work.outBytes;
        const limiting = level.name === "pcie" ? Math.max(work.inBytes, work.outBytes) : compulsory;
        const bandwidth = level.bandwidth === null ? Infinity : level.bandwidth;
        return {
            name: level.name,
            bandwidth,
            compulsoryBytes: compulsory,
            limitingBytes: limiting,
            seconds: limiting / bandwidth,
            ridge: bandwidth === Infinity ? 0 : peak / bandwidth,
        };
    }

    // What is wrong with the input, in the words of the command line; null if nothing is.
    function problemOf(shape, rates, operands) {
        if (![shape.batch, shape.d, shape.f, shape.chips].every((value) => Number.isSafeInteger(value) && value >= 1)) {
            return "B, D, F and the number of chips are whole numbers from 1 up";
        }
        if (shape.batch * shape.d * shape.f > 2 ** 50) {
            return "the product has more than 2^50 multiply-adds";
        }
        if (shape.chips > (shape.along === "d" ? shape.d : shape.f)) {
            return `there are more chips than ${shape.along.toUpperCase()} has elements`;
        }
        if (!rates || peakOf(rates, operands) === undefined) {
            return `no peak of this chip in ${operands.a.name} is known`;
        }
        if (shape.chips > 1 && !rates.levels.some((level) => level.name === "link")) {
            return "the chip states no bandwidth of a level 'link'";
        }
        return null;
    }

    // D from which the math outlasts the link, whatever B and F.
    function criticalDepth(shape, operands, peak, link) {
        return shape.along === "d" ? ((2 * (shape.chips - 1) * (operands.c.bits / 8)) / 2) * peak / link : 0;
    }

    // shape: batch, d, f, chips, along ("d" or "f"), from ("vmem", "hbm", "host"), sparsity (of the weights).
    function evaluate(shape, rates, operands) {
        const work = workOf(shape, operands);
        const densePeak = peakOf(rates, operands);
        const peak = sparsePeak(densePeak, shape.sparsity);
        const result = {...work, peak, densePeak, mathS: work.flops / peak, levels: [], bound: "compute"};
        result.lowerBoundS = result.upperBoundS = result.mathS;
        for (const level of rates.levels.filter(crossed(shape.from))) {
            if (level.name === "link" && work.linkBytes === 0) {
                continue;
            }
            const one = crossing(work, level, peak);
            result.levels.push(one);
            result.upperBoundS += one.seconds;
            if (one.seconds > result.lowerBoundS) {
                result.lowerBoundS = one.seconds;
                result.bound = one.name;
            }
        }
        result.attainable = work.flops / result.lowerBoundS;
        result.utilization = result.mathS / result.lowerBoundS;
        const link = rates.levels.find((level) => level.name === "link");
        result.criticalD = link ? criticalDepth(shape, operands, peak, link.bandwidth) : null;
        return result;
    }

    // Where the point stands: FLOP per byte that the slowest level moves, so that it lies on a roof.
    function pointOf(result) {
        let slowest = null;
        for (const level of result.levels) {
            if (slowest === null || level.seconds >= slowest.seconds) {
                slowest = level;
            }
        }
        const bytes = slowest ? slowest.limitingBytes : result.inBytes + result.outBytes;
        return {x: result.flops / bytes, y: result.attainable};
    }

    return {operandFormats, peakOf, crossed, problemOf, evaluate, pointOf};
})();
