// Index of a history: the times in its result files, in one SQLite file.
//
// It is only a cache: it is built from the result files, can be deleted at any time, and is never
// used for a file that has changed since. Several processes may use one index at once.
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

/// Increase it when the tables change; an index of another version is rebuilt.
inline constexpr std::int64_t kIndexVersion = 5;

/// Path of the index of these folders: in the first folder, or in the user's cache folder if that
/// is not writable. Empty if neither is writable; the index is then kept in memory.
std::filesystem::path index_path(std::span<const std::filesystem::path> roots);

struct IndexUpdate {
  std::int64_t read = 0;                  ///< new or changed places
  std::int64_t removed = 0;               ///< deleted places
  std::vector<std::string> problems;      ///< one for each unreadable place or shard
  std::vector<std::string> unread_paths;  ///< places left out completely
};

/// Index row that names a series.
struct IndexedSeries {
  std::int64_t id = -1;
  SeriesName name;
};

struct IndexedPoint {
  std::size_t place = 0;          ///< index into the given places
  std::int64_t environment = -1;  ///< ID of a text, like the next four; -1 if unknown
  std::int64_t job = -1, case_id = -1, kernel_hash = -1, reason = -1;
  Status status = Status::kSkipped;
  Verification verification = Verification::kNone;
  SampleKind kind = SampleKind::kCold;
  std::int64_t start_ns = -1;
  double median = kMissing, low = kMissing, high = kMissing;
};

class HistoryIndex {
 public:
  /// Opens or creates the index; an empty path is in memory. An index of another version is
  /// emptied. Throws SqliteError, as do all members below.
  explicit HistoryIndex(const std::filesystem::path& path);
  ~HistoryIndex();

  /// Reads new and changed places; removes those below the roots that no longer exist.
  IndexUpdate update(const FoundPlaces& found);

  /// Starts a snapshot for the members below, unaffected by other processes; only places that
  /// update() found. Series are sorted by name.
  void begin_reading(const FoundPlaces& found);
  std::vector<IndexedSeries> series();
  /// Points in the order of the places, then of the results.
  std::vector<IndexedPoint> points(std::int64_t series);
  /// For each place, job and environment, a point with only these and the last start.
  std::vector<IndexedPoint> latest();
  std::string text(std::int64_t id);

 private:
  struct Statements;

  void prepare_tables();
  std::map<std::string, std::pair<std::int64_t, std::string>> known_places();
  std::int64_t remove_missing(const FoundPlaces& found);
  void store(const ResultPlace& place, const PlaceContent& content);
  void store_points(std::int64_t file, const PlaceContent& content);
  void require_same_tables();
  std::int64_t id_of_text(std::string_view text);
  std::int64_t id_of_series(const StoredPoint& point);
  std::string stored_path(const std::filesystem::path& path) const;

  std::filesystem::path folder_;  ///< paths below it are stored as relative paths
  SqliteDatabase database_;
  std::unique_ptr<Statements> statements_;
  std::string generation_;  ///< generation of the tables; IDs are valid only within it
  std::map<std::string, std::int64_t, std::less<>> texts_, series_;
  std::map<std::int64_t, std::size_t> place_of_file_;
  std::unique_ptr<SqliteTransaction> reading_;
};

/// Deletes a damaged index, so that the next HistoryIndex rebuilds it. Does nothing if another
/// process has done so already. Throws SqliteError.
void remove_damaged_index(const std::filesystem::path& path);

}  // namespace kernelbatch::history
