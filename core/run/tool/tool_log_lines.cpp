#include "core/run/tool/tool_log_lines.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace {

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
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

}  // namespace

std::optional<LogLocation> location_in(std::string_view line) {
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
        return LogLocation{kernel,
                           kernel + std::string(line.substr(plus, cursor.position() - plus))};
      if (!cursor.take(kIn)) continue;
      const std::string_view place = cursor.rest().substr(0, cursor.rest().rfind(" ["));
      const std::size_t colon = place.rfind(':');
      if (colon == std::string_view::npos || colon == 0) continue;
      TextCursor number(place, colon + 1);
      if (number.take_digits().empty() || !number.at_end()) continue;
      return LogLocation{kernel, std::string(place.substr(place.rfind('/', colon) + 1))};
    }
  }
  return std::nullopt;
}

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

std::optional<LogExecutor> executor_in(std::string_view line) {
  constexpr std::string_view kBy = "by thread ";
  const std::size_t at = line.find(kBy);
  if (at == std::string_view::npos) return std::nullopt;
  TextCursor cursor(line, at + kBy.size());
  LogExecutor found;
  found.thread = take_index(cursor);
  if (found.thread.empty() || !cursor.take(" in block ")) return std::nullopt;
  found.block = take_index(cursor);
  if (found.block.empty()) return std::nullopt;
  return found;
}

std::optional<LogAccess> access_in(std::string_view line) {
  for (const std::string_view words : {"Address 0x", "Access at 0x", "Access to 0x"}) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) continue;
    TextCursor cursor(line, at + words.size());
    const std::string address(cursor.take_while(is_hex_digit));
    if (address.empty()) continue;
    return LogAccess{std::strtoull(address.c_str(), nullptr, 16), std::string(trim(cursor.rest()))};
  }
  return std::nullopt;
}

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

std::string barrier_in_words(std::string head) {
  constexpr std::string_view kStart = "Barrier error detected. ";
  if (head.starts_with(kStart)) head.erase(0, kStart.size());
  if (head.ends_with('.')) head.pop_back();
  if (!head.empty()) head[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(head[0])));
  return "is at a barrier or warp operation: " + head;
}

}  // namespace kernelbatch
