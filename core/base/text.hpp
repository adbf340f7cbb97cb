// Text helpers: nearest names for messages, units for display, hashes for identity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// The candidate with the smallest edit distance if it is close enough to be a likely typing error;
/// else empty.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// " (did you mean 'x'?)" for a near candidate, else " (known: a, b, c)"; empty for none.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// "a, b and c".
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");
/// Joins the parts that are not empty.
std::string join_nonempty(std::initializer_list<std::string_view> parts,
                          std::string_view separator = "; ");
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text) noexcept;

/// "1.5 GiB", "312 B".
std::string format_bytes(std::uint64_t bytes);
/// "3.04 GB", "67.2 TFLOP/s": three digits and a power of 1000; "-" for NaN.
std::string format_decimal(double value, std::string_view unit);
/// "1 case", "12 cases", "2 entries", "3 launches".
std::string plural(std::uint64_t count, std::string_view noun);
/// "1.23 ms", "45.1 µs"; "-" for NaN.
std::string format_seconds(double seconds);
/// "41 s", "1:02 min", "2:03:04 h".
std::string clock_text(double seconds);

/// `text` for a terminal or a log: control characters except line ends and tabs, bidirectional
/// formatting characters, and bytes that are not UTF-8 are shown as \x1b, \u202e and so on.
std::string visible(std::string_view text);
/// The same on one line: line ends and tabs are escaped too.
std::string visible_line(std::string_view text);

/// `text` with every byte that is not part of a UTF-8 character replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// True if `text` is a valid part of file names: letters, digits, '_', '-', '.', '+', not starting
/// with '.' or '-'.
bool is_plain_name(std::string_view text) noexcept;

/// Appends the length of `text` in eight bytes, then `text`, so that lists of texts are
/// unambiguous.
void append_sized(std::string& to, std::string_view text);

/// 128-bit XXH3 of the bytes as 32 hexadecimal digits.
std::string hash_hex(std::string_view bytes);
std::string hash_hex(std::span<const std::byte> bytes);

/// The same for bytes in pieces.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::span<const std::byte> piece);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True if JSON brackets outside of strings nest deeper than `levels`: a recursive reader would
/// overflow its stack on a hostile document.
bool nests_deeper(std::string_view json, std::size_t levels) noexcept;

/// Identifier rule of C: a letter or underscore, then letters, digits, underscores.
bool is_identifier(std::string_view text) noexcept;

}  // namespace kernelbatch
