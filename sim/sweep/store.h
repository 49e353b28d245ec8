// The database of a sweep: one row for each point and one for each of its layers, in SQLite.
//
//     meta    key, value: version, description, space (JSON), arguments (JSON), fingerprint, points
//     points  point (its place in the space), hash, status, error, a column for each key of the axes, point_metrics()
//     layers  point, layer (from 0), layer_metrics()
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/database.h"
#include "sim/sweep/outcome.h"
#include "sim/sweep/space.h"

namespace systole {

// What all points of a database have in common. Two databases with equal headers hold points of the same sweep.
struct SweepHeader {
    std::string version; // of Systole
    std::string description;
    std::string space;                  // Space::text()
    std::vector<std::string> arguments; // of `systole simulate`, without those of the axes
    std::string fingerprint;            // of what the files were that the points are made from
    std::int64_t points = 0;            // of the whole space
    std::vector<std::string> keys;      // of the axes

    bool operator==(const SweepHeader&) const = default;
};

// What differs, as a clause: "the axes or filters differ"; "" if nothing does. The description may differ.
std::string difference(const SweepHeader& stored, const SweepHeader& wanted);

// A row of the points, but for its results.
struct StoredPoint {
    std::int64_t point = 0;
    std::string hash;
    std::string status;
};

// A point whose number changes with the definition of its sweep.
struct Renumbered {
    std::int64_t before = 0;
    std::int64_t now = 0;

    bool operator==(const Renumbered&) const = default;
};

class Store {
  public:
    // Makes the file with its tables, whole or not at all. Throws EnvironmentError.
    static Store create(const std::string& path, const SweepHeader& header);

    // Throws InputError for a file that is no database of a sweep.
    Store(const std::string& path, Database::Mode mode);

    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // A file that was begun and holds nothing yet, not even its tables.
    static bool is_empty(const std::string& path);

    const SweepHeader& header() const { return header_; }
    Database& database() { return database_; }

    // Points that are not to be run again: ok or failed, but not lost.
    std::vector<bool> finished();
    void for_each_point(const std::function<void(const StoredPoint&)>& use); // in their order

    // Makes it the database of another definition of its sweep, with those of its points that are `kept` (each `now`
    // once) and the settings that `space` gives them. In one transaction: a process that dies meanwhile changes
    // nothing. Throws EnvironmentError.
    void renumber(const SweepHeader& header, const Space& space, const std::vector<Renumbered>& kept);

    // Opens a batch; until it is stored for good no other process can write. Throws EnvironmentError if one does.
    void begin();
    void put(std::int64_t point, const Settings& settings, const PointOutcome& outcome); // replaces what is there
    void commit();

    std::int64_t count(const std::string& status = ""); // of points with it, or of all

  private:
    void read_header();
    void prepare();
    void begin_alone();

    Database database_;
    SweepHeader header_;
    std::optional<Statement> put_point_;
    std::optional<Statement> put_layer_;
    std::optional<Statement> remove_layers_;
};

// Writes what `from` holds to `to`, in the order of the points: equal contents give equal bytes. `to` appears whole
// (it may be the file that `from` was opened from; that has to be closed before it is used again). Throws
// EnvironmentError.
void write_canonical(Store& from, const std::string& to);

} // namespace systole
