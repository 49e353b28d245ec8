#include "sim/sweep/store.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/sweep/metric.h"
#include "sim/sweep/schema.h"

namespace systole {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t application = 0x53797374; // "Syst", in the header of the file
constexpr std::int64_t layout = 1;               // grows when the tables change

std::string parameters(std::size_t count) {
    std::string list = "?";
    for (std::size_t i = 1; i < count; ++i) {
        list += ",?";
    }
    return list;
}

std::string numbered_parameters(std::size_t first, std::size_t count) {
    std::string list;
    for (std::size_t i = first; i < first + count; ++i) {
        list += fmt::format(", ?{}", i);
    }
    return list;
}

// Copies points and their layers out of the tables of old_points and old_layers.
void copy_points(Database& database, const SweepHeader& header, const Space& space,
                 const std::vector<Renumbered>& kept) {
    std::string metrics;
    for (const Metric& metric : point_metrics()) {
        metrics += ", " + quoted_name(metric.name);
    }
    Statement copy(database, fmt::format("INSERT INTO points SELECT ?2, hash, status, error{}{} FROM old_points "
                                         "WHERE point = ?1",
                                         numbered_parameters(3, header.keys.size()), metrics));
    Statement copy_layers(database, "INSERT INTO layers SELECT ?2, layer" + column_list(layer_columns()) +
                                        " FROM old_layers WHERE point = ?1");
    for (const Renumbered& one : kept) {
        Row row{one.before, one.now};
        copy_layers.bind_all(row).run();
        for (const auto& [key, value] : space.settings(one.now)) {
            row.push_back(cell_of(value));
        }
        copy.bind_all(row).run();
    }
}

} // namespace

std::string difference(const SweepHeader& stored, const SweepHeader& wanted) {
    if (stored.version != wanted.version) {
        return fmt::format("it was made by systole {}, this is {}", stored.version, wanted.version);
    }
    if (stored.space != wanted.space) {
        return "its axes or filters differ";
    }
    if (stored.arguments != wanted.arguments) {
        return "the chip, the workload or another option differs";
    }
    if (stored.fingerprint != wanted.fingerprint || stored.points != wanted.points) {
        return "a file of the chip or of the workload has changed since";
    }
    return "";
}

Store Store::create(const std::string& path, const SweepHeader& header) {
    require_free_names(header);
    { // Made in a transaction of its own: a process that dies here leaves an empty file.
        Database database(path, Database::Mode::create);
        database.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN IMMEDIATE;");
        database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application, layout));
        database.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;");
        create_tables(database, header);
        put_header(database, header);
        database.execute("COMMIT");
    }
    return Store(path, Database::Mode::write);
}

Store::Store(const std::string& path, Database::Mode mode) : database_(path, mode) { read_header(); }

bool Store::is_empty(const std::string& path) {
    Database database(path, Database::Mode::write);
    return database.number("SELECT count(*) FROM sqlite_master") == 0;
}

void Store::read_header() {
    if (database_.number("PRAGMA application_id") != application) {
        throw InputError({database_.path()}, "is no database of a sweep (`systole sweep` makes one with --out)");
    }
    if (const std::int64_t found = database_.number("PRAGMA user_version"); found != layout) {
        throw InputError({database_.path()}, fmt::format("was written by another version of Systole (its layout is {}, "
                                                         "this version knows {}; read it with that version, or run the "
                                                         "sweep again into another --out)",
                                                         found, layout));
    }
    Statement get(database_, "SELECT value FROM meta WHERE key = ?");
    const auto value = [&get](const char* key) {
        get.bind(1, std::string(key));
        std::string text = get.step() ? get.text(0) : "";
        get.reset();
        return text;
    };
    header_ = {value("version"), value("description"), value("space"), {}, value("fingerprint"), 0, {}};
    try {
        header_.arguments = Json::parse(value("arguments")).get<std::vector<std::string>>();
        header_.points = std::stoll(value("points"));
        if (header_.points < 1 || header_.points > most_points) {
            throw InputError("a number of points that no sweep has");
        }
        for (const Axis& axis : parse_space(header_.space).axes) {
            header_.keys.insert(header_.keys.end(), axis.keys.begin(), axis.keys.end());
        }
    } catch (const std::exception&) {
        throw InputError({database_.path()}, "is no database of a sweep (what it says of its axes cannot be read)");
    }
}

std::vector<bool> Store::finished() {
    std::vector<bool> done(static_cast<std::size_t>(header_.points), false);
    Statement query(database_, "SELECT point FROM points WHERE status <> 'lost'");
    while (query.step()) {
        const std::int64_t point = query.whole(0);
        if (point >= 0 && point < header_.points) {
            done[static_cast<std::size_t>(point)] = true;
        }
    }
    return done;
}

void Store::for_each_point(const std::function<void(const StoredPoint&)>& use) {
    Statement query(database_, "SELECT point, hash, status FROM points ORDER BY point");
    while (query.step()) {
        use({query.whole(0), query.text(1), query.text(2)});
    }
}

void Store::renumber(const SweepHeader& header, const Space& space, const std::vector<Renumbered>& kept) {
    require_free_names(header);
    put_point_.reset(); // they know the old columns
    put_layer_.reset();
    remove_layers_.reset();
    begin_alone();
    database_.execute("ALTER TABLE points RENAME TO old_points; ALTER TABLE layers RENAME TO old_layers;");
    create_tables(database_, header);
    copy_points(database_, header, space, kept);
    database_.execute("DROP TABLE old_points; DROP TABLE old_layers;");
    put_header(database_, header);
    commit();
    header_ = header;
}

std::int64_t Store::count(const std::string& status) {
    Statement query(database_, "SELECT count(*) FROM points WHERE ? IN ('', status)");
    query.bind(1, status);
    return query.step() ? query.whole(0) : 0;
}

void Store::prepare() {
    const std::size_t columns = point_columns(header_).size() + 1;
    put_point_.emplace(database_, fmt::format("INSERT OR REPLACE INTO points VALUES({})", parameters(columns)));
    put_layer_.emplace(database_, fmt::format("INSERT INTO layers VALUES({})", parameters(layer_columns().size() + 2)));
    remove_layers_.emplace(database_, "DELETE FROM layers WHERE point = ?");
}

// Who writes already goes on doing so: waiting would not help.
void Store::begin_alone() {
    database_.execute("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 10000;");
}

void Store::begin() {
    if (!put_point_) {
        prepare();
        begin_alone();
        return;
    }
    database_.execute("BEGIN IMMEDIATE");
}

void Store::commit() { database_.execute("COMMIT"); }

void Store::put(std::int64_t point, const Settings& settings, const PointOutcome& outcome) {
    Row row{point, outcome.hash, std::string(name(outcome.status)),
            outcome.error.empty() ? Cell() : Cell(outcome.error)};
    for (const auto& [key, value] : settings) {
        row.push_back(cell_of(value));
    }
    row.insert(row.end(), outcome.metrics.begin(), outcome.metrics.end());
    row.resize(4 + settings.size() + point_metrics().size()); // a point without results has none of its metrics
    put_point_->bind_all(row).run();
    remove_layers_->bind(1, point).run();
    for (std::size_t layer = 0; layer < outcome.layers.size(); ++layer) {
        row = {point, static_cast<std::int64_t>(layer)};
        row.insert(row.end(), outcome.layers[layer].begin(), outcome.layers[layer].end());
        put_layer_->bind_all(row).run();
    }
}

void write_canonical(Store& from, const std::string& to) {
    const std::string partial = to + ".partial";
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    try {
        Store copy = Store::create(partial, from.header());
        Database& database = copy.database();
        Statement attach(database, "ATTACH ? AS source");
        attach.bind(1, from.database().path()).run();
        database.execute("PRAGMA journal_mode = OFF; BEGIN IMMEDIATE;"
                         "INSERT INTO points SELECT * FROM source.points ORDER BY point;"
                         "INSERT INTO layers SELECT * FROM source.layers ORDER BY point, layer;"
                         "COMMIT;");
    } catch (...) {
        std::filesystem::remove(partial, ignored);
        throw;
    }
    std::filesystem::rename(partial, to);
}

} // namespace systole
