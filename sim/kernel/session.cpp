#include "sim/kernel/session.h"

#include <systemc>

#include "sim/base/error.h"

// The library has a main of its own that looks for this; ours never calls it. Weak: a program that uses Systole as a
// library may have a real one.
__attribute__((weak)) int sc_main(int, char*[]) { return 0; }

namespace systole {

namespace {

// Reports never reach stdout: errors become exceptions, the rest is silent.
void route_reports() {
    using sc_core::sc_report_handler;
    sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
    sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
    sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
}

} // namespace

KernelSession::KernelSession()
    : fresh_(nullptr), original_(sc_core::sc_get_curr_simcontext()),
      original_default_(sc_core::sc_default_global_context) {
    route_reports();
    fresh_ = new sc_core::sc_simcontext;
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = fresh_;
}

KernelSession::~KernelSession() {
    sc_core::sc_curr_simcontext = original_;
    sc_core::sc_default_global_context = original_default_;
    delete fresh_;
}

void KernelSession::run() {
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
        throw InternalError(std::string("SystemC: ") + report.what());
    }
}

sc_core::sc_time kernel_time(Ticks ticks) {
    return sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(ticks));
}

Ticks kernel_ticks(const sc_core::sc_time& time) { return static_cast<Ticks>(time.value()); }

} // namespace systole
