// Where the tensors of a network have to lie, whatever room VMEM has: results and what transfers move lie outside it.
#pragma once

#include <map>
#include <set>

#include "dataflow/problem.h"
#include "sim/workload/lowering.h"

namespace systole {

class TensorPlaces {
  public:
    explicit TensorPlaces(const LoweredNetwork& network);

    // The tensor in whose place it lies.
    TensorId root(const TensorUse& use) const { return network_.storage[static_cast<std::size_t>(use.tensor)]; }
    TensorKind kind(TensorId root) const { return network_.tensors[static_cast<std::size_t>(root)].kind; }

    // Of roots. Made on the chip, for the chip; not if it, or a view of it, is a result.
    bool is_inner(TensorId root) const;
    bool is_moved(TensorId root) const { return uploaded_.contains(root) || downloaded_.contains(root); }
    bool may_stay_in_vmem(TensorId root) const { return is_inner(root) && !is_moved(root); }

    // Of a root outside VMEM, for an operator (of LoweredNetwork::operators): HBM if it is inner, from its upload on,
    // and if it is downloaded, which both go through HBM; else where the network's data starts.
    Home home(TensorId root, std::size_t operator_index) const;

  private:
    const LoweredNetwork& network_;
    std::map<TensorId, std::size_t> uploaded_; // by the first operator that does so
    std::set<TensorId> downloaded_;
    std::set<TensorId> results_; // roots of results
};

} // namespace systole
