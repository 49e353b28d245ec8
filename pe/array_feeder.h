// The edges of a group of arrays: which vector, stationary row or drain mark enters in which cycle, and, skewed by row
// and column, which word that puts on each edge. Shared by the structural and the flat engine.
#pragma once

#include <deque>
#include <vector>

#include "dataflow/pass_counter.h"
#include "pe/array_grid.h"
#include "pe/array_job.h"
#include "pe/word.h"

namespace systole {

class ArrayFeeder {
  public:
    explicit ArrayFeeder(const ArrayJob& job);

    void start_load(const Pass& pass, Cycles start);
    void start_pass(const Pass& pass, const PassTiming& timing);
    // Decides what enters in `now`. Throws InternalError if the port disagrees with the sequencer's plan.
    void drive(Cycles now, const VmemArbiter& vmem);
    bool active(Cycles now) const { return now <= quiet_after_ || loading_ || streaming_ || !drains_.empty(); }

    // The words on the edges of array `index` in the cycle that was driven last.
    PeWord row_word(int index, int row) const;
    PeWord col_word(int index, int col) const;

    // What entered the wave in one cycle; the edges see it later, by their skew.
    struct Entry {
        Cycles cycle = -1;
        bool vector = false, starts = false, drain = false, last = false, load_row = false;
        std::int64_t step = 0;       // index of the vector within its pass
        std::size_t pass = 0;        // slot
        std::int64_t load_index = 0; // 0: the first row to enter, bound for the last PE row
        std::size_t load = 0;        // slot
    };
    // The entry that an edge with this skew sees now; null if nothing entered then.
    const Entry* entry(Cycles skew) const;
    // The same words without skew and marks: all positions of what `in` let enter, lane-major (lane * extent +
    // position).
    // T: std::int16_t where the job's values are int8, else float.
    template <typename T>
    void row_values(int index, const Entry& in, T* to) const;
    template <typename T>
    void col_values(int index, const Entry& in, T* to) const;
    Cycles col_skew(int col) const { return array_.propagation == Propagation::broadcast_rows ? 0 : col; }

  private:
    struct Slot { // a pass that may still be on its way in, with the arrays' parts of it
        Pass pass;
        std::vector<ArrayPart> parts;
    };

    void drive_stream(Cycles now, const VmemArbiter& vmem, Entry& entry);
    void drive_load(Cycles now, const VmemArbiter& vmem, Entry& entry);
    std::size_t remember(std::vector<Slot>& slots, std::size_t& next, const Pass& pass) const;
    void put_x(PeWord& word, std::int64_t row, std::int64_t step, const Pass& pass) const;
    void put_y(PeWord& word, std::int64_t step, std::int64_t col, const Pass& pass) const;
    template <typename T>
    void row_picks(std::int64_t row, const Pass& pass, T* to) const;
    template <typename T>
    void row_activations(int index, const Entry& in, T* to) const;
    template <typename T>
    void col_picks(std::int64_t step, const ArrayPart& part, const Pass& pass, T* to) const;
    std::int64_t first_position(const Pass& pass) const;
    std::int64_t positions_of(std::int64_t step, const Pass& pass) const;
    std::int64_t pick(std::int64_t step, int lane, std::uint8_t place) const;
    ActivationRange activations(std::int64_t step, const Pass& pass) const;

    ArrayJob job_;
    ArrayConfig array_;
    int q_;
    bool os_;
    SparsePattern pattern_;
    Picking picking_;
    std::vector<Entry> ring_;
    Cycles now_ = -1;
    std::vector<Slot> passes_, loads_;
    std::size_t next_pass_ = 0, next_load_ = 0;
    Cycles quiet_after_ = -1;

    bool streaming_ = false;
    std::size_t stream_ = 0; // slot
    std::int64_t next_vector_ = 0;
    PassTiming timing_;
    std::deque<Cycles> drains_; // marks that lie ahead
    bool loading_ = false;
    std::size_t load_ = 0; // slot
    std::int64_t next_row_ = 0;
};

} // namespace systole
