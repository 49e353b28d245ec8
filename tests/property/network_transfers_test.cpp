// Networks with host stages and transfers around the chip's work: no byte is read where nobody has put it, and none is
// lost between the levels.
#include <set>

#include "sim/engine/network_tasks.h"
#include "sim/engine/tensor_places.h"
#include "tests/support/check_property.h"
#include "tests/support/engines.h"
#include "tests/support/networks.h"

using namespace systole;
using namespace systole::test;

namespace {

// Where tensors are while tasks run one behind the other.
class Audit {
  public:
    Audit(const LoweredNetwork& network, DataOrigin from) : network_(network), places_(network), from_(from) {
        for (std::size_t i = 0; i < network.tensors.size(); ++i) {
            const auto kind = network.tensors[i].kind;
            if (kind == TensorKind::input || kind == TensorKind::weight)
                level(Home::origin).insert(static_cast<TensorId>(i));
        }
    }

    void run(const NetworkTask& task) {
        const auto reads = reads_of(task);
        for (std::size_t i = 0; i < reads.size(); ++i)
            require_at(task.read_homes[i], reads[i]);
        const auto writes = writes_of(task.task);
        for (std::size_t i = 0; i < writes.size(); ++i)
            level(task.write_homes[i]).insert(places_.root(writes[i]));
    }

    void run(const TransferTask& task) {
        const auto tensor = places_.root(task.data);
        if (task.to_device) {
            hbm_.insert(tensor);
            return;
        }
        // An input that is only taken to the host has been in HBM from the start, wherever the others are.
        RC_ASSERT(hbm_.contains(tensor) || places_.kind(tensor) == TensorKind::input);
        host_.insert(tensor);
    }

    void require_results() {
        for (std::size_t i = 0; i < network_.tensors.size(); ++i) {
            if (network_.tensors[i].kind == TensorKind::output)
                RC_ASSERT(hbm_.contains(network_.storage[i]) || host_.contains(network_.storage[i]));
        }
    }

  private:
    std::set<TensorId>& level(Home home) {
        if (home == Home::vmem)
            return vmem_;
        return home == Home::origin && from_ == DataOrigin::host ? host_ : hbm_;
    }

    void require_at(Home home, const TensorUse& use) {
        const auto tensor = places_.root(use);
        RC_LOG() << network_.tensors[static_cast<std::size_t>(tensor)].name << " at " << static_cast<int>(home) << "\n";
        const bool taken_down = places_.kind(tensor) == TensorKind::input && places_.is_moved(tensor);
        RC_ASSERT(level(home).contains(tensor) || taken_down);
    }

    const LoweredNetwork& network_;
    const TensorPlaces places_;
    const DataOrigin from_;
    std::set<TensorId> vmem_, hbm_, host_;
};

} // namespace

TEST_CASE("every tensor is read where it was put: by the network's start, a task or a transfer") {
    check_property("tensors are where they are read", 500, [] {
        const NetworkCase drawn = *any_served_network();
        const Network network = drawn.network();
        const auto lowered = lower(network);
        const bool fused = *rc::gen::arbitrary<bool>();
        const auto tasks = place_tasks(lowered, drawn.machine.machine(), drawn.machine.from, {}, fused);
        Audit audit(lowered, drawn.machine.from);
        std::size_t next = 0;
        for (std::size_t i = 0; i < lowered.operators.size(); ++i) {
            for (; next < tasks.size() && tasks[next].operator_index == i; ++next)
                audit.run(tasks[next]);
            for (const auto& task : lowered.operators[i].tasks) {
                if (const auto* moved = std::get_if<TransferTask>(&task))
                    audit.run(*moved);
            }
        }
        RC_ASSERT(next == tasks.size());
        audit.require_results();
    });
}

TEST_CASE("vector data that leaves HBM, VMEM or the link enters the level beside it") {
    DiscardCounter counter;
    check_property("vector bytes are conserved", 300, [&] {
        const NetworkCase drawn = *any_served_network();
        const auto run = run_network_or_discard(drawn, EngineKind::tile, counter);
        Bytes used = 0;
        Bytes made = 0;
        Bytes down = 0;
        Bytes up = 0;
        const auto lowered = lower(drawn.network());
        for (const auto& task : place_tasks(lowered, drawn.machine.machine(), drawn.machine.from)) { // as it is cut
            if (const auto* vector = std::get_if<VectorTask>(&task.task)) {
                used += vector->resident_bytes;
                for (const auto& use : vector->reads)
                    used += use.bytes;
                for (const auto& use : vector->writes)
                    made += use.bytes;
            }
        }
        for (const auto& one : lowered.operators) {
            for (const auto& task : one.tasks) {
                if (const auto* moved = std::get_if<TransferTask>(&task))
                    (moved->to_device ? down : up) += moved->data.bytes;
            }
        }
        const auto& t = run.total.traffic;
        RC_ASSERT(t.vmem.write.vector - made == t.hbm.read.vector - t.pcie.read.vector);
        RC_ASSERT(t.vmem.read.vector - used == t.hbm.write.vector - t.pcie.write.vector);
        RC_ASSERT(t.pcie.write.vector >= down);
        RC_ASSERT(t.pcie.read.vector >= up);
        if (drawn.machine.from == DataOrigin::hbm) {
            RC_ASSERT(t.pcie.write.total() == down);
            RC_ASSERT(t.pcie.read.total() == up);
        }
    });
    counter.require_at_most(0.6);
}
