#include "memory/dram_trace.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr std::int64_t address_limit = std::int64_t{1} << 60;
constexpr std::int64_t latest_cycle = 1'000'000'000'000'000;
constexpr std::size_t longest_line = 4096;

struct Word {
    std::string_view text;
    int column = 1;
};

struct Words {
    std::array<Word, 4> word;
    std::size_t count = 0; // may be above what is held
};

Words words_of_line(std::string_view line) {
    Words words;
    line = line.substr(0, line.find('#'));
    for (std::size_t at = 0;;) {
        at = line.find_first_not_of(" \t\r,", at);
        if (at == std::string_view::npos) {
            return words;
        }
        const std::size_t end = std::min(line.find_first_of(" \t\r,", at), line.size());
        if (words.count < words.word.size()) {
            words.word[words.count] = {line.substr(at, end - at), static_cast<int>(at) + 1};
        }
        ++words.count;
        at = end;
    }
}

bool same_word(std::string_view text, std::string_view capitals) {
    return text.size() == capitals.size() && std::equal(text.begin(), text.end(), capitals.begin(),
                                                        [](unsigned char a, char b) { return std::toupper(a) == b; });
}

// Whether the word is an operation, and then whether it writes.
std::optional<bool> parse_operation(std::string_view text) {
    for (const char* word : {"R", "READ", "LD"}) {
        if (same_word(text, word)) {
            return false;
        }
    }
    for (const char* word : {"W", "WRITE", "ST"}) {
        if (same_word(text, word)) {
            return true;
        }
    }
    return std::nullopt;
}

class Trace : public DramRequests {
  public:
    Trace(std::string file, Bytes bytes) : file_(std::move(file)), bytes_(bytes), stream_(file_, std::ios::binary) {
        std::error_code error;
        if (std::filesystem::is_directory(file_, error)) {
            throw InputError(Place{file_}, "is a folder (name a trace file in it)");
        }
        if (!stream_) {
            throw InputError(Place{file_}, "cannot be read (is there such a file?)");
        }
    }

    bool next(DramRequest& request) override;

  private:
    void parse(const Words& words, DramRequest& request) const;
    std::int64_t number(const Word& word, const char* what, std::int64_t limit) const;
    [[noreturn]] void reject(int column, const std::string& message) const;
    bool read_line();

    std::string file_;
    Bytes bytes_;
    std::ifstream stream_;
    std::string line_;
    int number_ = 0;
    std::int64_t last_cycle_ = 0;
    bool any_ = false;
};

void Trace::reject(int column, const std::string& message) const {
    throw InputError(Place{file_, number_, column}, message);
}

// No more than the longest line is read at once: a device may give bytes without end.
bool Trace::read_line() {
    line_.clear();
    int next = 0;
    while (line_.size() <= longest_line && (next = stream_.get()) != std::ifstream::traits_type::eof() &&
           next != '\n') {
        line_.push_back(static_cast<char>(next));
    }
    if (stream_.bad()) {
        throw InputError(Place{file_}, "cannot be read to its end");
    }
    if (!stream_ && line_.empty()) {
        return false;
    }
    number_ += number_ < std::numeric_limits<int>::max() ? 1 : 0;
    if (line_.size() > longest_line || line_.find('\0') != std::string::npos) {
        reject(1, "is no line of a trace (is this a text file of lines such as 0x1000 R 12?)");
    }
    return true;
}

std::int64_t Trace::number(const Word& word, const char* what, std::int64_t limit) const {
    const bool hex = word.text.starts_with("0x") || word.text.starts_with("0X");
    const std::string_view digits = word.text.substr(hex ? 2 : 0);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || digits.starts_with('-') || value >= limit) {
        reject(word.column, fmt::format("'{}' is no {} (write a whole number below {}, with 0x if it is hexadecimal)",
                                        word.text.substr(0, 40), what, limit));
    }
    return value;
}

void Trace::parse(const Words& words, DramRequest& request) const {
    constexpr const char* cure = "(write ADDRESS R|W [CYCLE], ADDRESS READ|WRITE CYCLE or LD|ST ADDRESS)";
    if (words.count < 2 || words.count > 3) {
        reject(1, fmt::format("{} no request {}",
                              words.count == 1 ? "one word is" : fmt::format("{} words are", words.count), cure));
    }
    const bool operation_first = parse_operation(words.word[0].text).has_value();
    const Word& operation = words.word[operation_first ? 0 : 1];
    const Word& address = words.word[operation_first ? 1 : 0];
    const std::optional<bool> write = parse_operation(operation.text);
    if (!write) {
        reject(operation.column,
               fmt::format("'{}' is neither a read nor a write {}", operation.text.substr(0, 40), cure));
    }
    const std::int64_t at = number(address, "address", address_limit);
    request = {at - at % bytes_, bytes_, *write, 0};
    if (words.count == 3) {
        request.not_before = number(words.word[2], "cycle", latest_cycle);
        if (request.not_before < last_cycle_) {
            reject(
                words.word[2].column,
                fmt::format("cycle {} lies before that of an earlier request, {} (requests are played in the order of "
                            "the file: sort it by cycle)",
                            request.not_before, last_cycle_));
        }
    }
}

bool Trace::next(DramRequest& request) {
    while (read_line()) {
        if (const Words words = words_of_line(line_); words.count > 0) {
            parse(words, request);
            last_cycle_ = std::max(last_cycle_, request.not_before);
            any_ = true;
            return true;
        }
    }
    if (!any_) {
        throw InputError(Place{file_}, "holds no request (write lines such as 0x1000 R 12)");
    }
    return false;
}

} // namespace

std::unique_ptr<DramRequests> open_dram_trace(const std::string& file, Bytes bytes) {
    return std::make_unique<Trace>(file, bytes);
}

} // namespace systole
