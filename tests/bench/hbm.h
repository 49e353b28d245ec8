// How fast the DRAM of the HBM is simulated, beside a copy of as many bytes.
#pragma once

namespace systole::bench {

void hbm();

} // namespace systole::bench
