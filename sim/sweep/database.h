// SQLite in C++: a connection, statements, and its errors as those of Systole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/sweep/cell.h"

struct sqlite3;
struct sqlite3_stmt;

namespace systole {

// Not to be used by a child of fork().
class Database {
  public:
    enum class Mode { read, write, create };

    // Throws InputError for a file that is not there or no database, EnvironmentError for one that cannot be opened.
    Database(const std::string& path, Mode mode);

    void execute(const std::string& sql);
    std::int64_t number(const std::string& sql); // of a query with one row of one whole number
    const std::string& path() const { return path_; }

    // Throws what the last error of the connection calls for; `code`: SQLite's.
    [[noreturn]] void fail(int code) const;

  private:
    friend class Statement;
    struct Close {
        void operator()(sqlite3* database) const;
    };

    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
  public:
    Statement(Database& database, const std::string& sql);

    Statement& bind(int parameter, const Cell& value); // from 1
    Statement& bind_all(const Row& values);            // in their order
    bool step();                                       // true: there is a row
    void run();                                        // to its end; then it can be bound and run again
    void reset();
    Cell cell(int column) const;
    std::string text(int column) const;
    std::int64_t whole(int column) const;
    std::vector<std::string> columns() const; // their names

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };

    Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

std::string quoted_name(const std::string& column); // "\"array.rows\""

} // namespace systole
