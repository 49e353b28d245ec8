#include "sim/sweep/outcome.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sim/base/error.h"

namespace systole {

namespace {

class Writer {
  public:
    template <typename T>
    void put(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put_text(const std::string& text) {
        put(text.size());
        bytes_ += text;
    }
    void put_row(const Row& row) {
        put(row.size());
        for (const Cell& cell : row) {
            put(static_cast<std::uint8_t>(cell.index()));
            if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
                put(*whole);
            } else if (const auto* real = std::get_if<double>(&cell)) {
                put(*real);
            } else if (const auto* text = std::get_if<std::string>(&cell)) {
                put_text(*text);
            }
        }
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    template <typename T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string get_text() { return std::string(take(get<std::size_t>())); }
    Row get_row() {
        Row row(count());
        for (Cell& cell : row) {
            switch (get<std::uint8_t>()) {
            case 0:
                break;
            case 1:
                cell = get<std::int64_t>();
                break;
            case 2:
                cell = get<double>();
                break;
            default:
                cell = get_text();
                break;
            }
        }
        return row;
    }
    // Of things of at least one byte each: never more than there are bytes.
    std::size_t count() {
        const auto value = get<std::size_t>();
        if (value > rest_.size()) {
            throw InternalError("a worker sent an outcome that ends too early");
        }
        return value;
    }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) {
            throw InternalError("a worker sent an outcome that ends too early");
        }
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

} // namespace

std::string_view name(PointStatus status) {
    switch (status) {
    case PointStatus::ok:
        return "ok";
    case PointStatus::failed:
        return "failed";
    case PointStatus::lost:
        break;
    }
    return "lost";
}

std::string encode(const PointOutcome& outcome) {
    Writer writer;
    writer.put_text(outcome.hash);
    writer.put(outcome.status);
    writer.put_text(outcome.error);
    writer.put_row(outcome.metrics);
    writer.put(outcome.layers.size());
    for (const Row& layer : outcome.layers) {
        writer.put_row(layer);
    }
    return writer.take();
}

PointOutcome decode(std::string_view bytes) {
    Reader reader(bytes);
    PointOutcome outcome;
    outcome.hash = reader.get_text();
    outcome.status = reader.get<PointStatus>();
    outcome.error = reader.get_text();
    outcome.metrics = reader.get_row();
    outcome.layers.resize(reader.count());
    for (Row& layer : outcome.layers) {
        layer = reader.get_row();
    }
    if (!reader.at_end()) {
        throw InternalError("a worker sent an outcome with bytes behind its end");
    }
    return outcome;
}

} // namespace systole
