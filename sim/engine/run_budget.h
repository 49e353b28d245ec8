// What the operators of a run may take together: --max-cycles, or without it about ten minutes of the engine.
#pragma once

#include "sim/engine/plan.h"

namespace systole {

class RunBudget {
  public:
    RunBudget(const Machine& machine, EngineKind engine, const RunOptions& options);

    // Cycles in which arrays work, with the passes and requests that the tile engine simulates for them; and others.
    void add_products(double cycles, double events);
    void add_others(double cycles) { cycles_ += cycles; }

    // Throws InputError if their sums are too much.
    void check() const;

  private:
    EngineKind engine_;
    std::optional<Cycles> most_cycles_;
    double pes_;
    double cycles_ = 0; // of all
    Cost products_;
};

// Fewer cycles are not possible: MACs at the arrays' peak, operations at the vector units'.
double fewest_cycles(const Machine& machine, const GemmProblem& problem);
double fewest_cycles(const Machine& machine, const VectorProblem& problem);

} // namespace systole
