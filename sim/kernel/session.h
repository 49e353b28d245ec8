// One simulation on the SystemC kernel: a fresh context, so that a process can run one after the other. The kernel is
// global to the process: one session at a time, parallel runs are processes.
#pragma once

#include <cstdint>

#include "memory/time_base.h"

namespace sc_core {
class sc_simcontext;
class sc_time;
} // namespace sc_core

namespace systole {

class KernelSession {
  public:
    KernelSession();
    ~KernelSession();
    KernelSession(const KernelSession&) = delete;
    KernelSession& operator=(const KernelSession&) = delete;

    // Runs until nothing is scheduled any more or sc_stop() was called. Kernel errors become InternalError.
    void run();

  private:
    sc_core::sc_simcontext* fresh_;
    sc_core::sc_simcontext* original_;
    sc_core::sc_simcontext* original_default_;
};

// A tick is one unit of the kernel's time resolution.
sc_core::sc_time kernel_time(Ticks ticks);
Ticks kernel_ticks(const sc_core::sc_time& time);

} // namespace systole
