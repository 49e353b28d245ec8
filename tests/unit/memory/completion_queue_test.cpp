#include <algorithm>
#include <utility>
#include <vector>

#include "memory/completion_queue.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("completions come out in the order in which they can be seen", "[memory][completion_queue]") {
    CompletionQueue queue;
    queue.push(30, 1);
    queue.push(10, 2);
    queue.push(20, 3);
    CHECK(queue.next() == 10);
    CHECK(queue.pop() == 2);
    CHECK(queue.next() == 20);
    queue.push(15, 4); // before what is left
    CHECK(queue.next() == 15);
    CHECK(queue.pop() == 4);
    CHECK(queue.pop() == 3);
    CHECK(queue.pop() == 1);
}

TEST_CASE("an empty queue has nothing ahead", "[memory][completion_queue]") {
    CompletionQueue queue;
    queue.reserve(4);
    CHECK(queue.empty());
    CHECK(queue.next() == unlimited);
    queue.push(0, 7);
    CHECK_FALSE(queue.empty());
    CHECK(queue.pop() == 7);
    CHECK(queue.empty());
    CHECK(queue.next() == unlimited);
}

TEST_CASE("completions of one cycle come out in the order of the calls", "[memory][completion_queue]") {
    CompletionQueue queue;
    for (int id = 9; id >= 0; --id)
        queue.push(5, id);
    queue.push(4, 100);
    CHECK(queue.pop() == 100);
    for (int id = 9; id >= 0; --id)
        CHECK(queue.pop() == id);
}

TEST_CASE("pushes and pops in any order keep the queue a stable sort", "[memory][completion_queue]") {
    check_property("stable", 300, [] {
        CompletionQueue queue;
        std::vector<std::pair<Cycles, int>> model; // in the order of the calls
        int id = 0;
        for (const bool push : *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>())) {
            if (push || model.empty()) {
                const auto visible = *rc::gen::inRange<Cycles>(0, 5);
                queue.push(visible, id);
                model.emplace_back(visible, id++);
                continue;
            }
            const auto first = std::min_element(model.begin(), model.end(),
                                                [](const auto& a, const auto& b) { return a.first < b.first; });
            RC_ASSERT(queue.next() == first->first);
            RC_ASSERT(queue.pop() == first->second);
            model.erase(first);
        }
        RC_ASSERT(queue.empty() == model.empty());
    });
}
