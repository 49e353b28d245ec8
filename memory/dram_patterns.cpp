#include "memory/dram_patterns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr Bytes kibi = 1024;
constexpr Bytes mebi = kibi * kibi;
constexpr Bytes gibi = kibi * mebi;
constexpr Bytes largest_request = 4 * kibi;

constexpr const char* listing = "seq_read[_SIZE], seq_write[_SIZE], mix2r1w_SIZE[_skew], stride_SIZE_SIZE, "
                                "randSIZE_read, randSIZE_write, idle_seq, idle_rand";

// Cuts what a pattern asks for into requests.
class Pattern : public DramRequests {
  public:
    bool next(DramRequest& request) final {
        if (whole_.bytes == 0 && !next_whole(whole_)) {
            return false;
        }
        request = whole_;
        request.bytes = std::min(whole_.bytes, largest_request);
        whole_.address += request.bytes;
        whole_.bytes -= request.bytes;
        return true;
    }

  private:
    virtual bool next_whole(DramRequest& whole) = 0;

    DramRequest whole_;
};

class Sequential : public Pattern {
  public:
    Sequential(bool write, Bytes bytes) : write_(write), bytes_(bytes) {}

  private:
    bool next_whole(DramRequest& whole) override {
        whole = {0, bytes_, write_, 0};
        return !std::exchange(given_, true);
    }

    bool write_;
    Bytes bytes_;
    bool given_ = false;
};

class Mix : public Pattern {
  public:
    Mix(Bytes piece, bool skewed) : piece_(piece), skew_(skewed ? 0x5000 : 0) {}

  private:
    bool next_whole(DramRequest& whole) override {
        constexpr Bytes each = 8 * mebi;
        constexpr Bytes apart = 256 * mebi;
        const std::int64_t step = given_ / 3;
        const std::int64_t stream = given_ % 3;
        if (step >= each / piece_) {
            return false;
        }
        whole = {stream * (apart + skew_) + step * piece_, piece_, stream == 2, 0};
        ++given_;
        return true;
    }

    Bytes piece_;
    Bytes skew_; // of the second stream; the third has twice as much
    std::int64_t given_ = 0;
};

class Stride : public Pattern {
  public:
    Stride(Bytes column, Bytes pitch) : column_(column), pitch_(pitch) {}

  private:
    bool next_whole(DramRequest& whole) override {
        constexpr std::int64_t rows = 1024;
        if (given_ / rows >= pitch_ / column_) {
            return false;
        }
        whole = {given_ / rows * column_ + given_ % rows * pitch_, column_, false, 0};
        ++given_;
        return true;
    }

    Bytes column_;
    Bytes pitch_;
    std::int64_t given_ = 0;
};

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014), the i-th number of seed 0.
std::uint64_t splitmix(std::int64_t i) {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

std::int64_t random_multiple(std::int64_t i, Bytes size) {
    constexpr Bytes window = 256 * mebi;
    const auto places = static_cast<std::uint64_t>(window / size);
    return size * static_cast<std::int64_t>(splitmix(i) % places);
}

class Random : public Pattern {
  public:
    Random(Bytes piece, bool write) : piece_(piece), write_(write) {}

  private:
    bool next_whole(DramRequest& whole) override {
        constexpr Bytes all = 8 * mebi;
        if (given_ >= all / piece_) {
            return false;
        }
        whole = {random_multiple(given_++, piece_), piece_, write_, 0};
        return true;
    }

    Bytes piece_;
    bool write_;
    std::int64_t given_ = 0;
};

class Idle : public DramRequests {
  public:
    Idle(Bytes access_bytes, bool random) : access_bytes_(access_bytes), random_(random) {}

    bool next(DramRequest& request) override {
        constexpr std::int64_t count = 10'000;
        constexpr Bytes alignment = 64;
        request = {random_ ? random_multiple(given_, alignment) : given_ * access_bytes_, access_bytes_, false, 0};
        return given_++ < count;
    }
    std::optional<Clocks> closed_loop_gap() const override { return 100; }

  private:
    Bytes access_bytes_;
    bool random_;
    std::int64_t given_ = 0;
};

std::vector<std::string_view> words_of(std::string_view name) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t end = name.find('_');
        words.push_back(name.substr(0, end));
        if (end == std::string_view::npos) {
            return words;
        }
        name.remove_prefix(end + 1);
    }
}

// "4096", "16K", "8M". Nothing: no size.
std::optional<Bytes> parse_size(std::string_view text) {
    Bytes value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    const Bytes factor = suffix.empty() ? 1 : suffix == "K" ? kibi : suffix == "M" ? mebi : suffix == "G" ? gibi : 0;
    if (error != std::errc() || text.empty() || text.front() == '-' || factor == 0 || value > 1024 * gibi / factor) {
        return std::nullopt;
    }
    return value * factor;
}

enum class Kind { sequential, mix, stride, random, idle };

// A name taken apart; the sizes are not yet looked at for their range.
struct Parsed {
    Kind kind = Kind::sequential;
    bool write = false;
    bool flag = false; // skew, or random
    std::array<Bytes, 2> size{};
};

std::optional<Parsed> parse_sequential(const std::vector<std::string_view>& words) {
    if (words.size() > 3 || words.size() < 2 || (words[1] != "read" && words[1] != "write")) {
        return std::nullopt;
    }
    const auto size = words.size() == 3 ? parse_size(words[2]) : 32 * mebi;
    return size ? std::optional(Parsed{Kind::sequential, words[1] == "write", false, {*size, 0}}) : std::nullopt;
}

std::optional<Parsed> parse_random(const std::vector<std::string_view>& words) {
    const auto size = parse_size(words[0].substr(std::string_view("rand").size()));
    if (!size || words.size() != 2 || (words[1] != "read" && words[1] != "write")) {
        return std::nullopt;
    }
    return Parsed{Kind::random, words[1] == "write", false, {*size, 0}};
}

std::optional<Parsed> parse(const std::string& name) {
    const std::vector<std::string_view> words = words_of(name);
    constexpr Bytes none = -1;
    const Bytes first = words.size() > 1 ? parse_size(words[1]).value_or(none) : none;
    if (words[0] == "seq") {
        return parse_sequential(words);
    }
    if (words[0].starts_with("rand")) {
        return parse_random(words);
    }
    if (words[0] == "mix2r1w" && first != none && (words.size() == 2 || (words.size() == 3 && words[2] == "skew"))) {
        return Parsed{Kind::mix, false, words.size() == 3, {first, 0}};
    }
    if (words[0] == "stride" && first != none && words.size() == 3) {
        const auto pitch = parse_size(words[2]);
        return pitch ? std::optional(Parsed{Kind::stride, false, false, {first, *pitch}}) : std::nullopt;
    }
    if (words[0] == "idle" && words.size() == 2 && (words[1] == "seq" || words[1] == "rand")) {
        return Parsed{Kind::idle, false, words[1] == "rand", {}};
    }
    return std::nullopt;
}

void require_size(const std::string& name, Bytes size, Bytes least, Bytes most) {
    if (size < least || size > most) {
        throw InputError(fmt::format("pattern '{}': {} bytes are out of range ({}..{})", name, size, least, most));
    }
}

} // namespace

bool is_dram_pattern(const std::string& name) { return parse(name).has_value(); }

std::unique_ptr<DramRequests> make_dram_pattern(const std::string& name, Bytes access_bytes) {
    const std::optional<Parsed> parsed = parse(name);
    if (!parsed) {
        throw InputError(
            fmt::format("unknown pattern '{}' (there are {}; SIZE is 4096, 16K, 8M ...)", name.substr(0, 60), listing));
    }
    const auto [first, second] = parsed->size;
    switch (parsed->kind) {
    case Kind::sequential:
        require_size(name, first, 1, 64 * gibi);
        return std::make_unique<Sequential>(parsed->write, first);
    case Kind::mix:
        require_size(name, first, 1, 8 * mebi);
        return std::make_unique<Mix>(first, parsed->flag);
    case Kind::stride:
        require_size(name, second, 1, 64 * mebi);
        require_size(name, first, 1, second);
        return std::make_unique<Stride>(first, second);
    case Kind::random:
        require_size(name, first, 1, 8 * mebi);
        return std::make_unique<Random>(first, parsed->write);
    case Kind::idle:
        break;
    }
    return std::make_unique<Idle>(access_bytes, parsed->flag);
}

} // namespace systole
