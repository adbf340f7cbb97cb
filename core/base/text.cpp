#include "core/base/text.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernelbatch {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest_name(name, candidates);
  if (!near.empty()) return fmt::format(" (did you mean '{}'?)", near);
  if (candidates.empty()) return "";
  return fmt::format(" (known: {})", join(candidates));
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string join_nonempty(std::initializer_list<std::string_view> parts,
                          std::string_view separator) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty() && !part.empty()) text += separator;
    text += part;
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8
};

CodePoint code_point(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t value = first & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(k) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || is_surrogate) return {};
  return {value, length};
}

/// True for characters that are invisible or reorder others.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

std::string shown(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = code_point(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(c.bytes, 1));
    if (c.bytes == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (!is_hidden(c.value) || kept.find(bytes) != std::string_view::npos)
      result += bytes;
    else
      result += c.value < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c.value))
                               : fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    text.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = code_point(text).bytes;
    result += bytes == 0 ? "\xef\xbf\xbd" : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string visible(std::string_view text) { return shown(text, "\n\t"); }
std::string visible_line(std::string_view text) { return shown(text, ""); }

bool is_plain_name(std::string_view text) noexcept {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
  return !text.empty() && text.front() != '.' && text.front() != '-' &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kUnits[unit]);
}

std::string format_decimal(double value, std::string_view unit) {
  if (std::isnan(value)) return "-";
  static constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  // 999.5 would be written as 1e+03.
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  if (prefix == 0 && value == std::round(value)) return fmt::format("{:.0f} {}", value, unit);
  const double magnitude = std::abs(value);
  const int digits = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", value, digits, kPrefixes[prefix], unit);
}

std::string format_seconds(double seconds) {
  if (std::isnan(seconds)) return "-";
  const double magnitude = std::abs(seconds);
  const auto digits = [](double value) { return value < 10 ? 2 : value < 100 ? 1 : 0; };
  if (magnitude >= 1) return fmt::format("{:.{}f} s", seconds, digits(magnitude));
  if (magnitude >= 1e-3) return fmt::format("{:.{}f} ms", seconds * 1e3, digits(magnitude * 1e3));
  return fmt::format("{:.{}f} µs", seconds * 1e6, digits(magnitude * 1e6));
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02} h", s / 3600, s / 60 % 60, s % 60);
}

std::string plural(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  const bool hisses = noun.ends_with('s') || noun.ends_with("ch") || noun.ends_with("sh");
  return fmt::format("{} {}{}", count, noun, hisses ? "es" : "s");
}

void append_sized(std::string& to, std::string_view text) {
  const auto size = static_cast<std::uint64_t>(text.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to.append(text);
}

std::string hash_hex(std::string_view bytes) {
  const XXH128_hash_t hash = ::XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hash_hex(std::span<const std::byte> bytes) {
  return hash_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

struct ContentHash::State {
  XXH3_state_t* state = ::XXH3_createState();
  State() {
    if (state == nullptr) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::XXH3_freeState(state); }
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  ::XXH3_128bits_reset(state_->state);
}
ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> piece) {
  ::XXH3_128bits_update(state_->state, piece.data(), piece.size());
}

std::string ContentHash::hex() const {
  const XXH128_hash_t hash = ::XXH3_128bits_digest(state_->state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool nests_deeper(std::string_view json, std::size_t levels) noexcept {
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    if (is_text) {
      if (c == '\\')
        ++k;
      else
        is_text = c != '"';
    } else if (c == '"') {
      is_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > levels) return true;
    } else if (depth > 0 && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

bool is_identifier(std::string_view text) noexcept {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !is_letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace kernelbatch
