#include <memory>
#include <vector>

#include <systemc>

#include "tests/bench/baselines.h"

namespace systole::bench {

namespace {

struct Empty : sc_core::sc_module {
    sc_core::sc_in<bool> clock{"clock"};

    explicit Empty(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        SC_HAS_PROCESS(Empty);
        SC_METHOD(nothing);
        sensitive << clock.pos();
        dont_initialize();
    }

    void nothing() {}
};

} // namespace

double empty_sc_methods(int modules, int edges) {
    // One elaboration per process: the caller measures in a child of its own, and once.
    sc_core::sc_clock clock("clock", sc_core::sc_time(1, sc_core::SC_NS));
    std::vector<std::unique_ptr<Empty>> all;
    for (int i = 0; i < modules; ++i) {
        all.push_back(std::make_unique<Empty>(sc_core::sc_gen_unique_name("empty")));
        all.back()->clock(clock);
    }
    sc_core::sc_start(sc_core::sc_time(edges, sc_core::SC_NS));
    return static_cast<double>(modules) * edges;
}

} // namespace systole::bench
