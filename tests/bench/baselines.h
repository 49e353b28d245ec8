// What the engines are measured against, in the same run on the same machine.
#pragma once

namespace systole::bench {

// Activations of empty SC_METHODs, `modules` of them at every edge of one clock. Returns the number of activations.
double empty_sc_methods(int modules, int edges);

// The register moves and MACs of a weight-stationary array and nothing else. Returns PE-cycles.
double bare_loop(int rows, int cols, int cycles);

} // namespace systole::bench
