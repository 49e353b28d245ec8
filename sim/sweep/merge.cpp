#include "sim/sweep/merge.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

namespace fs = std::filesystem;

// Removed with all that SQLite keeps beside it.
class Scratch {
  public:
    explicit Scratch(std::string path) : path_(std::move(path)) { remove(); }
    ~Scratch() { remove(); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return path_; }

  private:
    void remove() const {
        std::error_code ignored;
        fs::remove(path_, ignored);
        fs::remove(path_ + "-journal", ignored);
    }

    std::string path_;
};

// Two finished rows of one point have to be the same run with the same outcome.
void require_agreement(Database& database, const std::string& path) {
    Statement query(database, "SELECT a.point FROM main.points a JOIN part.points b USING(point) "
                              "WHERE a.status <> 'lost' AND b.status <> 'lost' "
                              "AND (a.hash <> b.hash OR a.status <> b.status OR a.cycles IS NOT b.cycles) LIMIT 1");
    if (query.step()) {
        throw InputError({path}, fmt::format("disagrees with the other databases about point {} (they were made with "
                                             "different chip or workload files: run it again)",
                                             query.whole(0)));
    }
}

// What is finished there, and what is lost there and not here at all.
constexpr const char* take_over = R"sql(
CREATE TEMP TABLE taken AS SELECT b.point FROM part.points b LEFT JOIN main.points a USING(point)
    WHERE a.point IS NULL OR (a.status = 'lost' AND b.status <> 'lost');
DELETE FROM main.layers WHERE point IN (SELECT point FROM taken);
INSERT OR REPLACE INTO main.points SELECT * FROM part.points WHERE point IN (SELECT point FROM taken);
INSERT INTO main.layers SELECT * FROM part.layers WHERE point IN (SELECT point FROM taken);
DROP TABLE taken;
)sql";

void add(Store& all, const std::string& path) {
    Store part(path, Database::Mode::write); // a batch that a crash left half stored is undone by the opening
    if (const std::string differs = difference(all.header(), part.header()); !differs.empty()) {
        throw InputError({path}, fmt::format("is of another sweep than the first database: {} (merge databases of one "
                                             "sweep alone)",
                                             differs));
    }
    Database& database = all.database();
    Statement attach(database, "ATTACH ? AS part");
    attach.bind(1, path).run();
    require_agreement(database, path);
    database.execute("BEGIN");
    database.execute(take_over);
    database.execute("COMMIT");
    database.execute("DETACH part");
}

} // namespace

Merged merge_stores(const std::string& to, const std::vector<std::string>& from) {
    std::vector<std::string> parts = from;
    std::error_code error;
    if (fs::exists(to, error)) {
        parts.insert(parts.begin(), to);
    }
    const Scratch scratch(to + ".merging");
    Store first(parts.front(), Database::Mode::write);
    Store all = Store::create(scratch.path(), first.header());
    for (const std::string& part : parts) {
        add(all, part);
    }
    Merged merged{all.header().points, all.count(), all.count("failed") + all.count("lost")};
    write_canonical(all, to);
    return merged;
}

} // namespace systole
