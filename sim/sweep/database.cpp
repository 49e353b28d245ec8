#include "sim/sweep/database.h"

#include <filesystem>
#include <sqlite3.h>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr int patience_ms = 10'000; // with somebody who reads the file while a batch is stored

int flags_of(Database::Mode mode) {
    switch (mode) {
    case Database::Mode::read:
        return SQLITE_OPEN_READONLY;
    case Database::Mode::write:
        return SQLITE_OPEN_READWRITE;
    case Database::Mode::create:
        break;
    }
    return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

} // namespace

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path, Mode mode) : path_(path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (mode != Mode::create && !std::filesystem::exists(status)) {
        throw InputError({path}, "no such file");
    }
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw InputError({path}, "is a folder or a device, no database of a sweep (name a file)");
    }
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags_of(mode) | SQLITE_OPEN_NOMUTEX, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) {
        fail(code);
    }
    sqlite3_busy_timeout(handle, patience_ms);
    sqlite3_extended_result_codes(handle, 1);
}

void Database::fail(int code) const {
    const char* said = handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory";
    switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: // a table or column that is not there
        throw InputError({path_}, fmt::format("is no database of a sweep ({})", said));
    case SQLITE_FULL:
        throw EnvironmentError(fmt::format("{}: the disk is full (make room, then go on with --resume; what was stored "
                                           "is safe)",
                                           path_));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw EnvironmentError(fmt::format("{}: another process is writing it (wait for that sweep to end)", path_));
    case SQLITE_READONLY:
        throw EnvironmentError(
            fmt::format("{}: may not be written (change its permissions, or copy it to where you may "
                        "write)",
                        path_));
    case SQLITE_CANTOPEN:
        throw EnvironmentError(fmt::format("{}: cannot be opened (is its folder there, and may you read and write in "
                                           "it?)",
                                           path_));
    case SQLITE_IOERR:
        throw EnvironmentError(fmt::format("{}: cannot be read or written: {} (is the disk full?)", path_, said));
    default:
        throw EnvironmentError(fmt::format("{}: {}", path_, said));
    }
}

void Database::execute(const std::string& sql) {
    const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        fail(code);
    }
}

std::int64_t Database::number(const std::string& sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.whole(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
    sqlite3_stmt* handle = nullptr;
    const int code =
        sqlite3_prepare_v2(database.handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &handle, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) {
        database.fail(code);
    }
}

Statement& Statement::bind(int parameter, const Cell& value) {
    struct Binder {
        sqlite3_stmt* handle;
        int at;
        int operator()(std::monostate) const { return sqlite3_bind_null(handle, at); }
        int operator()(std::int64_t number) const { return sqlite3_bind_int64(handle, at, number); }
        int operator()(double number) const { return sqlite3_bind_double(handle, at, number); }
        int operator()(const std::string& text) const {
            return sqlite3_bind_text(handle, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        }
    };
    const int code = std::visit(Binder{handle_.get(), parameter}, value);
    if (code != SQLITE_OK) {
        database_.fail(code);
    }
    return *this;
}

Statement& Statement::bind_all(const Row& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        bind(static_cast<int>(i) + 1, values[i]);
    }
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        database_.fail(code);
    }
    return code == SQLITE_ROW;
}

void Statement::run() {
    while (step()) {
    }
    reset();
}

void Statement::reset() { sqlite3_reset(handle_.get()); }

Cell Statement::cell(int column) const {
    switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_NULL:
        return {};
    case SQLITE_INTEGER:
        return whole(column);
    case SQLITE_FLOAT:
        return sqlite3_column_double(handle_.get(), column);
    default:
        return text(column);
    }
}

std::string Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return bytes == nullptr ? ""
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}

std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::vector<std::string> Statement::columns() const {
    std::vector<std::string> names;
    for (int column = 0; column < sqlite3_column_count(handle_.get()); ++column) {
        names.emplace_back(sqlite3_column_name(handle_.get(), column));
    }
    return names;
}

std::string quoted_name(const std::string& column) {
    std::string text = "\"";
    for (const char c : column) {
        text += c;
        if (c == '"') {
            text += c;
        }
    }
    return text + '"';
}

} // namespace systole
