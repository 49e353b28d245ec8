// A queue that allocates only when it gets longer than it has ever been.
#pragma once

#include <cstddef>
#include <vector>

namespace systole {

template <class T>
class Fifo {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // The i-th from the front; i < size().
    T& operator[](std::size_t i) { return slots_[(first_ + i) & (slots_.size() - 1)]; }
    const T& operator[](std::size_t i) const { return slots_[(first_ + i) & (slots_.size() - 1)]; }
    T& front() { return slots_[first_]; }
    const T& front() const { return slots_[first_]; }

    void push(const T& value) {
        if (size_ == slots_.size())
            grow();
        (*this)[size_++] = value;
    }
    void pop() {
        first_ = (first_ + 1) & (slots_.size() - 1);
        --size_;
    }

  private:
    void grow() {
        std::vector<T> larger(slots_.size() * 2); // a power of two, so that places are found by a mask
        for (std::size_t i = 0; i < size_; ++i)
            larger[i] = (*this)[i];
        slots_.swap(larger);
        first_ = 0;
    }

    std::vector<T> slots_ = std::vector<T>(16);
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace systole
