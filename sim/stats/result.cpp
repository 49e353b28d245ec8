#include "sim/stats/result.h"

namespace systole {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

} // namespace

OperandBytes& OperandBytes::operator+=(const OperandBytes& other) {
    a += other.a;
    b += other.b;
    c += other.c;
    psum += other.psum;
    meta += other.meta;
    vector += other.vector;
    return *this;
}

LevelTraffic& LevelTraffic::operator+=(const LevelTraffic& other) {
    read += other.read;
    write += other.write;
    accesses += other.accesses;
    return *this;
}

Traffic& Traffic::operator+=(const Traffic& other) {
    pe += other.pe;
    accumulator += other.accumulator;
    vmem += other.vmem;
    hbm += other.hbm;
    pcie += other.pcie;
    return *this;
}

double OperatorResult::array_utilization() const {
    return ratio(static_cast<double>(macs), static_cast<double>(pe_slots));
}

double OperatorResult::mapping_efficiency() const {
    const std::int64_t useful = stack[Cause::useful];
    return ratio(static_cast<double>(useful), static_cast<double>(useful + stack[Cause::padding]));
}

double OperatorResult::roofline_efficiency() const {
    return cycles == 0 ? 1.0 : ratio(roofline.lower_bound_s, seconds);
}

} // namespace systole
