#include "core/run/tool/tool_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.hpp"
#include "core/run/tool/tool_log_lines.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kMark = "=========";

/// One report: its first line and its other lines, without marks.
struct Report {
  std::string head;
  std::vector<std::string> lines;
};

std::vector<Report> reports_of(std::string_view text) {
  std::vector<Report> reports;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(kMark)) continue;
    const std::string_view rest = std::string_view(line).substr(kMark.size());
    const std::string words(trim(rest));
    if (words.empty()) continue;
    if (rest.starts_with("    ")) {
      if (!reports.empty()) reports.back().lines.push_back(words);
    } else {
      reports.push_back({words, {}});
    }
  }
  return reports;
}

/// "y[64]" for an address inside an array or close to it.
struct Element {
  std::string array;
  std::int64_t number = -1;
};
Element element_at(std::uint64_t address, const std::vector<CheckedArray>& arrays) {
  constexpr std::uint64_t kNear = 4096;
  const CheckedArray* best = nullptr;
  // The latest array, since addresses are reused.
  for (const CheckedArray& array : arrays)
    if (address >= array.address && address < array.address + array.bytes) best = &array;
  for (const CheckedArray& array : arrays)
    if (best == nullptr && address >= array.address &&
        address < array.address + array.bytes + kNear)
      best = &array;
  if (best == nullptr || best->name.empty()) return {};
  return {best->name, static_cast<std::int64_t>((address - best->address) / best->item)};
}

class LogReader {
 public:
  LogReader(CheckKind kind, const std::vector<CheckedArray>& arrays)
      : kind_(kind), arrays_(arrays) {}

  void add(const Report& report) {
    const std::string& head = report.head;
    if (head.find("Race reported") != std::string::npos) return add_race(report);
    std::optional<LogLocation> at;
    std::string thread, block;
    std::optional<LogAccess> access;
    for (const std::string& line : report.lines) {
      if (auto executor = executor_in(line)) {
        thread = std::move(executor->thread);
        block = std::move(executor->block);
      } else if (auto found = access_in(line)) {
        access = std::move(found);
      } else if (!at && line.starts_with("at ")) {
        at = location_in(line);
      }
    }
    // A driver call, a leak, or the summary.
    if (!at || thread.empty()) return;
    FindingRecord record = begin(*at);
    record.thread = thread;
    record.block = block;
    record.what = kind_ == CheckKind::kSync ? barrier_in_words(head) : access_in_words(head);
    if (access) {
      const Element element = element_at(access->address, arrays_);
      record.array = element.array;
      record.element = element.number;
      if (!element.array.empty())
        record.what += fmt::format(", {}[{}]", element.array, element.number);
    }
    if (kind_ == CheckKind::kInit) record.what += ", which is uninitialized";
    if (access && !access->reason.empty()) record.what += fmt::format(", which {}", access->reason);
    keep(std::move(record), 1);
  }

  std::vector<FindingRecord> take() {
    for (FindingRecord& record : found_)
      record.blocks = static_cast<std::int64_t>(blocks_[key_of(record)].size());
    return std::move(found_);
  }

 private:
  /// "Error: Race reported between Write access at f+0x10 in a.cu:3", "and Read access at …".
  void add_race(const Report& report) {
    std::vector<std::string> lines{report.head};
    lines.insert(lines.end(), report.lines.begin(), report.lines.end());
    std::vector<LogLocation> places;
    std::vector<std::string> sides;
    std::int64_t count = 0;
    for (const std::string& line : lines) {
      const std::string_view side = side_in(line);
      if (side.empty()) continue;
      const auto place = location_in(line);
      if (!place) continue;
      places.push_back(*place);
      sides.emplace_back(side);
      count += hazards_in(line);
    }
    if (places.empty()) return;
    FindingRecord record = begin(places[0]);
    record.what = fmt::format("a thread {} shared memory", sides[0]);
    if (places.size() > 1) {
      record.other_place = places[1].place;
      record.what += fmt::format(", which another one {} at {}, with no barrier between", sides[1],
                                 places[1].place);
    }
    keep(std::move(record), std::max<std::int64_t>(count, 1));
  }

  FindingRecord begin(const LogLocation& at) const {
    FindingRecord record;
    record.tool = tool_of(kind_);
    record.check = name_of(kind_);
    record.kernel = at.kernel;
    record.place = at.place;
    return record;
  }

  using Key = std::tuple<std::string, std::string>;
  static Key key_of(const FindingRecord& record) { return {record.place, record.other_place}; }

  void keep(FindingRecord record, std::int64_t count) {
    if (!record.block.empty()) blocks_[key_of(record)].insert(record.block);
    for (FindingRecord& known : found_)
      if (key_of(known) == key_of(record)) {
        known.count += count;
        return;
      }
    record.count = count;
    found_.push_back(std::move(record));
  }

  CheckKind kind_;
  const std::vector<CheckedArray>& arrays_;
  std::vector<FindingRecord> found_;
  std::map<Key, std::set<std::string>> blocks_;
};

}  // namespace

std::string_view tool_of(CheckKind kind) {
  switch (kind) {
    case CheckKind::kMemory:
      return "memcheck";
    case CheckKind::kRace:
      return "racecheck";
    case CheckKind::kInit:
      return "initcheck";
    case CheckKind::kSync:
      return "synccheck";
  }
  return "";
}

std::vector<CheckedArray> read_checked_arrays(std::string_view text) {
  std::vector<CheckedArray> arrays;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    CheckedArray array;
    words >> std::hex >> array.address >> std::dec >> array.bytes >> array.item >> std::ws;
    if (words.fail() || array.item == 0) continue;
    std::getline(words, array.name);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<FindingRecord> read_tool_log(std::string_view text, CheckKind kind,
                                         const std::vector<CheckedArray>& arrays) {
  LogReader reader(kind, arrays);
  for (const Report& report : reports_of(text)) reader.add(report);
  return reader.take();
}

}  // namespace kernelbatch
