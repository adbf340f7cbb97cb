// The index of a history is a cache: its content always equals that of the files.
#include "core/report/history/history_index.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>

#include "core/base/error.hpp"
#include "core/report/history/history.hpp"
#include "tests/report/history/made_up_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {
namespace fs = std::filesystem;

/// Runs of a day each, of four series.
struct IndexedRuns {
  explicit IndexedRuns(int count) {
    for (int day = 0; day < count; ++day) add(day, 1e-3);
  }
  void add(int day, double median) const {
    test::MadeUpRun run;
    for (int k = 0; k < 4; ++k)
      run.results.push_back(test::made_up_result(k < 2 ? "c0" : "c1", k % 2 == 0 ? "raw" : "jit",
                                                 1000 + k / 2, test::kFirstDay + day * test::kDay,
                                                 median * (1 + 0.001 * day)));
    test::write_run(path() / ("day" + std::to_string(day) + ".h5"), run);
  }
  fs::path path() const { return folder.path(); }
  fs::path index() const { return path() / history::kIndexName; }
  History load() const { return load_history({.folders = {path().string()}}); }
  /// The history without notes about the index itself.
  std::string json() const {
    History history = load();
    history.notes.clear();
    return history_json(history, analyse(history));
  }
  std::size_t points() const {
    std::size_t count = 0;
    for (const HistorySeries& series : load().series) count += series.points.size();
    return count;
  }
  /// Number of places that update() would read.
  std::int64_t unread() const {
    const std::vector<std::string> folders{path().string()};
    history::HistoryIndex kept(index());
    return kept.update(history::find_places(folders)).read;
  }
  test::TemporaryFolder folder;
};

TEST_CASE("an index gives the same as a new one") {
  const IndexedRuns runs(5);
  const std::string first = runs.json();
  REQUIRE(fs::exists(runs.index()));
  CHECK(runs.unread() == 0);
  CHECK(runs.json() == first);
  fs::remove(runs.index());
  CHECK(runs.unread() == 5);
  CHECK(runs.json() == first);
}

TEST_CASE("an index follows files that change, come and go") {
  const IndexedRuns runs(3);
  REQUIRE(runs.points() == 12);
  runs.add(1, 2e-3);
  fs::last_write_time(runs.path() / "day1.h5", fs::file_time_type::clock::now());
  CHECK(runs.unread() == 1);
  CHECK(runs.load().series.at(0).points.at(1).median == Approx(2.002e-3));
  runs.add(3, 1e-3);
  CHECK(runs.points() == 16);
  fs::remove(runs.path() / "day0.h5");
  CHECK(runs.points() == 12);
  fs::rename(runs.path() / "day3.h5", runs.path() / "other.h5");
  CHECK(runs.points() == 12);
}

TEST_CASE("a folder with its index may move, and an index may know of other folders") {
  const IndexedRuns runs(2);
  const IndexedRuns others(0);
  for (const int day : {2, 3, 4}) others.add(day, 1e-3);
  CHECK(load_history({.folders = {runs.path().string(), others.path().string()}}).runs() == 5);
  CHECK(runs.load().runs() == 2);
  const fs::path moved = runs.folder / "moved";
  fs::create_directory(moved);
  for (const char* name : {"day0.h5", "day1.h5", history::kIndexName})
    fs::rename(runs.path() / name, moved / name);
  history::HistoryIndex index(moved / history::kIndexName);
  const std::vector<std::string> folders{moved.string()};
  CHECK(index.update(history::find_places(folders)).read == 0);
}

TEST_CASE("an index of another version is rebuilt") {
  const IndexedRuns runs(2);
  const std::string right = runs.json();
  {
    history::SqliteDatabase database(runs.index());
    database.execute("UPDATE points SET median = 7; PRAGMA user_version = 77;");
  }
  CHECK(runs.json() == right);
  CHECK(history::SqliteDatabase(runs.index()).user_version() == history::kIndexVersion);
}

TEST_CASE("a damaged index is rebuilt, with a note") {
  const IndexedRuns runs(4);
  const std::string right = runs.json();
  SECTION("no database") { std::ofstream(runs.index(), std::ios::trunc) << std::string(9000, 'x'); }
  SECTION("a hole in the middle") {
    std::fstream file(runs.index(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(fs::file_size(runs.index()) - 8192, '\xa5');
  }
  const History history = runs.load();
  REQUIRE(history.notes.size() == 1);
  CHECK_THAT(history.notes[0], Contains("rebuilt"));
  CHECK(history.series.size() == 4);
  CHECK(runs.load().notes.empty());
  CHECK(runs.json() == right);
}

TEST_CASE("no flipped bit of an index changes what is read") {
  const IndexedRuns runs(2);
  const std::string right = runs.json();
  std::stringstream whole;
  whole << std::ifstream(runs.index(), std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  std::mt19937_64 random(46);
  for (int flip = 0; flip < 120; ++flip) {
    std::string damaged = bytes;
    std::size_t at = random() % bytes.size();
    while (bytes[at] == 0) at = random() % bytes.size();  // unused space
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    std::ofstream(runs.index(), std::ios::binary | std::ios::trunc) << damaged;
    CAPTURE(flip, at);
    CHECK(runs.json() == right);
    fs::remove(runs.index());
  }
}

TEST_CASE("an index that has lost a text is rebuilt") {
  const IndexedRuns runs(2);
  const std::string right = runs.json();
  history::SqliteDatabase(runs.index())
      .execute("DELETE FROM texts WHERE id IN (SELECT kernel_hash FROM points)");
  CHECK_FALSE(runs.load().notes.empty());
  CHECK(runs.json() == right);
}

TEST_CASE("an index with foreign texts is rejected") {
  const IndexedRuns runs(2);
  const std::size_t points = runs.points();
  {
    history::SqliteDatabase database(runs.index());
    SECTION("parameters") { database.execute("UPDATE series SET params = '{'"); }
    SECTION("environments") { database.execute("UPDATE texts SET text = text || '{'"); }
    SECTION("codes") { database.execute("UPDATE points SET status = 99"); }
  }
  CHECK_FALSE(runs.load().notes.empty());
  CHECK(runs.points() == points);
}

TEST_CASE("an index that is a link is not followed") {
  const IndexedRuns runs(1);
  const test::TemporaryFolder elsewhere;
  fs::create_symlink(elsewhere / "victim", runs.index());
  CHECK(runs.points() == 4);
  CHECK_FALSE(fs::exists(elsewhere / "victim"));
}

TEST_CASE("if the folder is read-only, the index is in the user's cache") {
  const IndexedRuns runs(1);
  const test::TemporaryFolder cache;
  const test::EnvironmentVariable variable("KERNELBATCH_CACHE_DIR", cache.path().string());
  const std::vector<fs::path> roots{"/proc/self"};
  const fs::path index = history::index_path(roots);
  CHECK(index.parent_path() == fs::canonical(cache.path()) / "history");
  const std::vector<fs::path> writable{runs.path()};
  CHECK(history::index_path(writable) == runs.index());
}

TEST_CASE("processes that build an index concurrently lose nothing") {
  const IndexedRuns runs(40);
  bool is_damaged = false;
  SECTION("none is there") {}
  SECTION("one is damaged") {
    std::ofstream(runs.index()) << std::string(5000, 'x');
    is_damaged = true;
  }
  constexpr int kProcesses = 4;
  pid_t children[kProcesses];
  for (pid_t& child : children) {
    child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int result = 1;
      try {
        const History history = runs.load();
        result = history.runs() == 40 && (is_damaged || history.notes.empty()) ? 0 : 2;
      } catch (...) {
      }
      ::_exit(result);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(runs.unread() == 0);
  CHECK(runs.points() == 160);
}

}  // namespace
}  // namespace kernelbatch
