// Completions that lie ahead, in the order in which a core can see them.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/base/quantities.h"

namespace systole {

class CompletionQueue {
  public:
    void reserve(std::size_t entries) { heap_.reserve(entries); }

    void push(Cycles visible, int id) {
        heap_.push_back({visible, sequence_++, id});
        std::push_heap(heap_.begin(), heap_.end(), Later{});
    }

    Cycles next() const { return heap_.empty() ? unlimited : heap_.front().visible; }
    bool empty() const { return heap_.empty(); }

    int pop() {
        std::pop_heap(heap_.begin(), heap_.end(), Later{});
        const int id = heap_.back().id;
        heap_.pop_back();
        return id;
    }

  private:
    struct Entry {
        Cycles visible;
        std::int64_t sequence; // ties in the order of the calls, so that runs repeat exactly
        int id;
    };
    struct Later { // a type, not a function, so that the heap's code takes it in
        bool operator()(const Entry& a, const Entry& b) const {
            return a.visible != b.visible ? a.visible > b.visible : a.sequence > b.sequence;
        }
    };

    std::vector<Entry> heap_;
    std::int64_t sequence_ = 0;
};

} // namespace systole
