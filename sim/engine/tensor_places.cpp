#include "sim/engine/tensor_places.h"

namespace systole {

TensorPlaces::TensorPlaces(const LoweredNetwork& network) : network_(network) {
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
        for (const auto& task : network.operators[i].tasks) {
            const auto* moved = std::get_if<TransferTask>(&task);
            if (moved && moved->to_device)
                uploaded_.try_emplace(root(moved->data), i);
            if (moved && !moved->to_device)
                downloaded_.insert(root(moved->data));
        }
    }
    for (std::size_t i = 0; i < network.tensors.size(); ++i) {
        if (network.tensors[i].kind == TensorKind::output)
            results_.insert(network.storage[i]);
    }
}

bool TensorPlaces::is_inner(TensorId root) const {
    const bool made = kind(root) == TensorKind::activation || kind(root) == TensorKind::scratch;
    return made && !results_.contains(root);
}

Home TensorPlaces::home(TensorId root, std::size_t operator_index) const {
    const auto upload = uploaded_.find(root);
    const bool is_up = upload != uploaded_.end() && upload->second < operator_index;
    return is_inner(root) || is_up || downloaded_.contains(root) ? Home::hbm : Home::origin;
}

} // namespace systole
