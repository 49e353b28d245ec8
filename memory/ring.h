// A queue of bounded length that allocates once.
#pragma once

#include <vector>

#include "sim/base/error.h"

namespace systole {

template <class T>
class Ring {
  public:
    explicit Ring(std::size_t capacity) : slots_(capacity) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == slots_.size(); }

    // The i-th from the front; i < size().
    T& operator[](std::size_t i) { return slots_[place(i)]; }
    const T& operator[](std::size_t i) const { return slots_[place(i)]; }
    T& front() { return (*this)[0]; }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size_ - 1]; }

    void push(const T& value) {
        if (full())
            throw InternalError("a ring of bounded length overflows");
        slots_[place(size_++)] = value;
    }
    void pop() {
        first_ = place(1);
        --size_;
    }

  private:
    std::size_t place(std::size_t i) const {
        const std::size_t at = first_ + i;
        return at < slots_.size() ? at : at - slots_.size();
    }

    std::vector<T> slots_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace systole
