#include "core/run/tool_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"

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

struct Location {
  std::string kernel, place;
};

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// "at f(int *)+0x1a0 in a.cu:3", also after other words; code without source lines has only its
/// address: "f+0x1a0".
std::optional<Location> location_in(std::string_view line) {
  constexpr std::string_view kAt = "at ", kOffset = "+0x", kIn = " in ";
  const auto is_end = [](std::string_view rest) { return rest.empty() || rest.starts_with(" ["); };
  for (std::size_t at = line.find(kAt); at != std::string_view::npos; at = line.find(kAt, at + 1)) {
    if (!begins_word(line, at)) continue;
    const std::size_t begin = at + kAt.size();
    for (std::size_t plus = line.find(kOffset, begin + 1); plus != std::string_view::npos;
         plus = line.find(kOffset, plus + 1)) {
      TextCursor cursor(line, plus + kOffset.size());
      if (cursor.take_while(is_hex_digit).empty()) continue;
      std::string kernel(line.substr(begin, plus - begin));
      if (kernel.starts_with("void ")) kernel.erase(0, 5);
      if (const auto open = kernel.find('('); open != std::string::npos && open > 0)
        kernel.resize(open);
      if (is_end(cursor.rest()))
        return Location{kernel, kernel + std::string(line.substr(plus, cursor.position() - plus))};
      if (!cursor.take(kIn)) continue;
      const std::string_view place = cursor.rest().substr(0, cursor.rest().rfind(" ["));
      const std::size_t colon = place.rfind(':');
      if (colon == std::string_view::npos || colon == 0) continue;
      TextCursor number(place, colon + 1);
      if (number.take_digits().empty() || !number.at_end()) continue;
      return Location{kernel, std::string(place.substr(place.rfind('/', colon) + 1))};
    }
  }
  return std::nullopt;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
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

/// "Invalid __global__ write of size 4 bytes": "writes 4 bytes of global memory".
std::string access_in_words(const std::string& head) {
  for (const std::string_view mistake : {"Invalid __", "Uninitialized __"}) {
    const std::size_t at = head.find(mistake);
    if (at == std::string::npos) continue;
    TextCursor cursor(head, at + mistake.size());
    const std::string_view space = cursor.take_while([](char c) { return c >= 'a' && c <= 'z'; });
    if (space.empty() || !cursor.take("__ ")) continue;
    cursor.take("memory ");
    const std::string_view how = cursor.take_one_of({"read", "write", "atomic"});
    if (how.empty() || !cursor.take(" of size ")) continue;
    const std::string_view bytes = cursor.take_digits();
    if (bytes.empty() || !cursor.take(" bytes")) continue;
    return fmt::format("{} {} bytes of {} memory",
                       how == "read"    ? "reads"
                       : how == "write" ? "writes"
                                        : "updates",
                       bytes, space);
  }
  return head;
}

/// "(0,0,0)" of "(0, 0, 0)", if it is next.
std::string take_index(TextCursor& cursor) {
  const std::size_t begin = cursor.position();
  const std::string_view from = cursor.rest();
  if (!cursor.take("(")) return {};
  const auto inside = cursor.take_while([](char c) { return is_digit(c) || c == ',' || c == ' '; });
  if (inside.empty() || !cursor.take(")")) return {};
  return without_spaces(std::string(from.substr(0, cursor.position() - begin)));
}

/// "by thread (0,0,0) in block (2,0,0)".
struct Executor {
  std::string thread, block;
};
std::optional<Executor> executor_in(std::string_view line) {
  constexpr std::string_view kBy = "by thread ";
  const std::size_t at = line.find(kBy);
  if (at == std::string_view::npos) return std::nullopt;
  TextCursor cursor(line, at + kBy.size());
  Executor found;
  found.thread = take_index(cursor);
  if (found.thread.empty() || !cursor.take(" in block ")) return std::nullopt;
  found.block = take_index(cursor);
  if (found.block.empty()) return std::nullopt;
  return found;
}

/// "Access to 0x7fe5b2c00100 is out of bounds": an address and a reason.
struct Access {
  std::uint64_t address = 0;
  std::string reason;
};
std::optional<Access> access_in(std::string_view line) {
  for (const std::string_view words : {"Address 0x", "Access at 0x", "Access to 0x"}) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) continue;
    TextCursor cursor(line, at + words.size());
    const std::string address(cursor.take_while(is_hex_digit));
    if (address.empty()) continue;
    return Access{std::strtoull(address.c_str(), nullptr, 16), std::string(trim(cursor.rest()))};
  }
  return std::nullopt;
}

/// The number in "[64 hazards]"; 0 if there is none.
std::int64_t hazards_in(std::string_view line) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    TextCursor cursor(line, at + 1);
    const std::string_view digits = cursor.take_digits();
    if (digits.empty() || cursor.take_one_of({" hazards]", " hazard]"}).empty()) continue;
    std::int64_t count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count;
  }
  return 0;
}

/// "writes" for a line with "Write access"; empty for a line without an access.
std::string_view side_in(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kSides[] = {
      {"Write access", "writes"}, {"Read access", "reads"}, {"Atomic access", "updates"}};
  std::string_view side;
  std::size_t first = std::string_view::npos;
  for (const auto& [words, verb] : kSides)
    if (const std::size_t at = line.find(words); at < first) {
      first = at;
      side = verb;
    }
  return side;
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
    std::string thread, block;
    std::optional<Access> access;
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
    std::vector<Location> places;
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
