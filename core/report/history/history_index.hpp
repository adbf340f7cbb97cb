// The index of a history: what its result files hold of times, in one SQLite file.
//
// Only a cache: it is made from the result files, can be removed at any time, and never answers for
// a file that has changed since. Any number of processes may use one at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"
#include "core/report/history/result_places.hpp"
#include "core/report/history/sqlite.hpp"
#include "core/report/history/stored_points.hpp"

namespace kernelbatch::history {

inline constexpr const char* kIndexName = ".kernelbatch-history.sqlite";

/// Raised when the tables change: an index of another version is made again.
inline constexpr std::int64_t kIndexVersion = 3;

/// Where the index of these folders is kept: in the first, or for one that may not be written in
/// the user's cache folder. Empty where neither can be: then it lives in memory.
std::filesystem::path index_path(std::span<const std::filesystem::path> roots);

struct IndexUpdate {
  std::int64_t read = 0;                  ///< places, because they are new or have changed
  std::int64_t removed = 0;               ///< places that are no longer there
  std::vector<std::string> problems;      ///< a sentence for each place or shard that is unreadable
  std::vector<std::string> unread_paths;  ///< of the places that are left out as a whole
};

/// Row of the index that names a series.
struct IndexedSeries {
  std::int64_t id = -1;
  SeriesName name;
};

struct IndexedPoint {
  std::size_t place = 0;          ///< index into the places that were given
  std::int64_t environment = -1;  ///< id of a text, as the three below; -1 where unknown
  std::int64_t job = -1, case_id = -1, kernel_hash = -1, reason = -1;
  Status status = Status::kSkipped;
  Verification verification = Verification::kNone;
  SampleKind kind = SampleKind::kCold;
  std::int64_t start_ns = -1;
  double median = kMissing, low = kMissing, high = kMissing;
};

class HistoryIndex {
 public:
  /// Opens or makes it; an empty path is one in memory. One of another version is emptied. Throws
  /// SqliteError, as all below.
  explicit HistoryIndex(const std::filesystem::path& path);
  ~HistoryIndex();

  /// Reads what is new or has changed; forgets what was below the roots and is there no more.
  IndexUpdate update(const FoundPlaces& found);

  /// The rest sees one state of the index, that of its call, whatever other processes do; only what
  /// update() found. Series in the order of their names.
  void begin_reading(const FoundPlaces& found);
  std::vector<IndexedSeries> series();
  /// In the order of the places, then of the results.
  std::vector<IndexedPoint> points(std::int64_t series);
  /// For each place, job and environment a point with nothing but these and the last start.
  std::vector<IndexedPoint> latest();
  std::string text(std::int64_t id);

 private:
  struct Statements;

  void prepare_tables();
  std::map<std::string, std::pair<std::int64_t, std::string>> known_places();
  std::int64_t remove_missing(const FoundPlaces& found);
  void remove(std::int64_t file);
  void store(const ResultPlace& place, const PlaceContent& content);
  void store_points(std::int64_t file, const PlaceContent& content);
  void require_same_tables();
  std::int64_t id_of_text(std::string_view text);
  std::int64_t id_of_series(const StoredPoint& point);
  std::string stored_path(const std::filesystem::path& path) const;

  std::filesystem::path folder_;  ///< paths below it are stored relative to it
  SqliteDatabase database_;
  std::unique_ptr<Statements> statements_;
  std::string generation_;  ///< of the tables: those of another have other numbers
  std::map<std::string, std::int64_t, std::less<>> texts_, series_;
  std::map<std::int64_t, std::size_t> place_of_file_;
  std::unique_ptr<SqliteTransaction> reading_;
};

/// Removes a damaged index, so that the next HistoryIndex makes it again. Does nothing where
/// another process has done so already. Throws SqliteError.
void remove_damaged_index(const std::filesystem::path& path);

}  // namespace kernelbatch::history
