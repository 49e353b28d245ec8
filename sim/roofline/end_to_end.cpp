#include "sim/roofline/end_to_end.h"

#include <algorithm>
#include <cmath>

#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

void check(const RequestShape& shape) {
    if (!(shape.batch >= 1)) {
        throw InputError("the batch must be 1 or more");
    }
    require_not_negative(shape.bytes_in, "the bytes down");
    require_not_negative(shape.bytes_out, "the bytes up");
    require_not_negative(shape.compute_s, "the accelerator's time");
    require_positive(shape.compute_growth, "the growth of the accelerator's time");
    require_not_negative(shape.serial_s, "the serial time");
    require_not_negative(shape.serial_growth, "the growth of the serial time");
    require_fraction(shape.serial_fraction, "the serial fraction");
    if (shape.serial_fraction == 1) {
        throw InputError("the serial fraction must be below 1 (nothing else would be left)");
    }
}

double transfer(const RequestShape& shape, double batch) {
    const double down = shape.bytes_in * batch;
    const double up = shape.bytes_out * batch;
    const double bytes = shape.transfers == Transfers::serial ? down + up : std::max(down, up);
    return bytes > 0 ? transfer_seconds(bytes, shape.pcie_bandwidth) : 0;
}

double device(const RequestShape& shape, double transfer_s, double compute_s) {
    return shape.transfers == Transfers::overlapped ? std::max(transfer_s, compute_s) : transfer_s + compute_s;
}

} // namespace

double amdahl_speedup(double serial_fraction, double gain) {
    require_fraction(serial_fraction, "the serial fraction");
    require_positive(gain, "the gain of the parallel part");
    return 1 / (serial_fraction + (1 - serial_fraction) / gain);
}

RequestTime request_time(const RequestShape& shape) {
    check(shape);
    const double rest_of_one = device(shape, transfer(shape, 1), shape.compute_s);
    const double serial_of_one =
        shape.serial_s > 0 ? shape.serial_s : shape.serial_fraction / (1 - shape.serial_fraction) * rest_of_one;

    RequestTime time;
    time.transfer_s = transfer(shape, shape.batch);
    time.compute_s = shape.compute_s * shape.compute_growth;
    time.serial_s = serial_of_one * (1 + shape.serial_growth * std::log2(shape.batch));
    time.total_s = time.serial_s + device(shape, time.transfer_s, time.compute_s);
    time.serial_fraction = time.total_s > 0 ? time.serial_s / time.total_s : 0;
    time.speedup_limit = amdahl_speedup(time.serial_fraction);
    time.per_sample_s = time.total_s / shape.batch;
    return time;
}

} // namespace systole::analytic
