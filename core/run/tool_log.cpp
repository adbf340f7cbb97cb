#include "core/run/tool_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kMark = "=========";

/// One report: its first line and those that belong to it, without marks.
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

struct Location {
  std::string kernel, place;
};

/// "at f(int *)+0x1a0 in a.cu:3", and the same behind other words; code without lines of its source
/// has its address alone: "f+0x1a0".
std::optional<Location> location_in(const std::string& line) {
  static const std::regex form(R"(\bat (.+?)(\+0x[0-9a-f]+)(?: in (.+):([0-9]+))?(?: \[|$))");
  std::smatch found;
  if (!std::regex_search(line, found, form)) return std::nullopt;
  std::string kernel = found[1];
  if (kernel.starts_with("void ")) kernel.erase(0, 5);
  if (const auto open = kernel.find('('); open != std::string::npos && open > 0)
    kernel.resize(open);
  const std::string file = found[3];
  return Location{kernel, file.empty() ? kernel + found[2].str()
                                       : fmt::format("{}:{}", file.substr(file.rfind('/') + 1),
                                                     found[4].str())};
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// "y[64]" of an address inside of an array or close to it.
struct Element {
  std::string array;
  std::int64_t number = -1;
};
Element element_at(std::uint64_t address, const std::vector<CheckedArray>& arrays) {
  constexpr std::uint64_t kNear = 4096;
  const CheckedArray* best = nullptr;
  // The latest: an address may be given out again.
  for (const CheckedArray& array : arrays)
    if (address >= array.address && address < array.address + array.bytes) best = &array;
  for (const CheckedArray& array : arrays)
    if (best == nullptr && address >= array.address &&
        address < array.address + array.bytes + kNear)
      best = &array;
  if (best == nullptr || best->name.empty()) return {};
  return {best->name, static_cast<std::int64_t>((address - best->address) / best->item)};
}

/// "Invalid __global__ write of size 4 bytes": "writes 4 bytes of global memory".
std::string access_in_words(const std::string& head) {
  static const std::regex form(
      R"((?:Invalid|Uninitialized) __([a-z]+)__ (?:memory )?(read|write|atomic) of size ([0-9]+) bytes)");
  std::smatch found;
  if (!std::regex_search(head, found, form)) return head;
  const std::string how = found[2];
  return fmt::format("{} {} bytes of {} memory",
                     how == "read"    ? "reads"
                     : how == "write" ? "writes"
                                      : "updates",
                     found[3].str(), found[1].str());
}

/// "Barrier error detected. Divergent thread(s) in block."
std::string barrier_in_words(std::string head) {
  constexpr std::string_view kStart = "Barrier error detected. ";
  if (head.starts_with(kStart)) head.erase(0, kStart.size());
  if (head.ends_with('.')) head.pop_back();
  if (!head.empty()) head[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(head[0])));
  return "is at a barrier or warp operation: " + head;
}

class LogReader {
 public:
  LogReader(CheckKind kind, const std::vector<CheckedArray>& arrays)
      : kind_(kind), arrays_(arrays) {}

  void add(const Report& report) {
    const std::string& head = report.head;
    if (head.find("Race reported") != std::string::npos) return add_race(report);
    std::optional<Location> at;
    std::string thread, block, address, reason;
    static const std::regex who(R"(by thread (\([0-9, ]+\)) in block (\([0-9, ]+\)))");
    static const std::regex where(R"((?:Address|Access at|Access to) (0x[0-9a-f]+)(.*))");
    for (const std::string& line : report.lines) {
      std::smatch found;
      if (std::regex_search(line, found, who)) {
        thread = without_spaces(found[1]);
        block = without_spaces(found[2]);
      } else if (std::regex_search(line, found, where)) {
        address = found[1];
        reason = std::string(trim(found[2].str()));
      } else if (!at && line.starts_with("at ")) {
        at = location_in(line);
      }
    }
    // A call of the driver, a leak, the summary.
    if (!at || thread.empty()) return;
    FindingRecord record = begin(*at);
    record.thread = thread;
    record.block = block;
    record.what = kind_ == CheckKind::kSync ? barrier_in_words(head) : access_in_words(head);
    if (!address.empty()) {
      const Element element = element_at(std::strtoull(address.c_str(), nullptr, 16), arrays_);
      record.array = element.array;
      record.element = element.number;
      if (!element.array.empty())
        record.what += fmt::format(", {}[{}]", element.array, element.number);
    }
    if (kind_ == CheckKind::kInit) record.what += ", which nobody has written";
    if (!reason.empty()) record.what += fmt::format(", which {}", reason);
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
    static const std::regex side(R"((Write|Read|Atomic) access)");
    static const std::regex hazards(R"(\[([0-9]+) hazards?\])");
    std::vector<std::string> lines{report.head};
    lines.insert(lines.end(), report.lines.begin(), report.lines.end());
    std::vector<Location> places;
    std::vector<std::string> sides;
    std::int64_t count = 0;
    for (const std::string& line : lines) {
      std::smatch found;
      if (!std::regex_search(line, found, side)) continue;
      const std::string what = found[1];
      const auto place = location_in(line);
      if (!place) continue;
      places.push_back(*place);
      sides.push_back(what == "Write" ? "writes" : what == "Read" ? "reads" : "updates");
      if (std::regex_search(line, found, hazards)) count += std::stoll(found[1]);
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

  FindingRecord begin(const Location& at) const {
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
