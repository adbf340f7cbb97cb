#include "core/app/terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

/// Columns of standard output if it is a terminal; else 0.
std::size_t terminal_width() {
  if (::isatty(1) == 0) return 0;
  // COLUMNS takes precedence, as in other programs.
  if (const auto columns = environment("COLUMNS"))
    if (const auto width = try_parse_integer(*columns); width && *width > 0)
      return static_cast<std::size_t>(*width);
  winsize size{};
  return ::ioctl(1, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// All non-ASCII characters of this program's own texts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kInAscii{{{"±", "+-"},
                                                                                  {"…", "..."},
                                                                                  {"×", "x"},
                                                                                  {"∞", "inf"},
                                                                                  {"→", "->"},
                                                                                  {"µ", "u"},
                                                                                  {"·", "*"},
                                                                                  {"—", "-"},
                                                                                  {"–", "-"},
                                                                                  {"≤", "<="},
                                                                                  {"≥", ">="},
                                                                                  {"≈", "~"}}};

/// The original streams, written by their replacements.
struct Plain {
  int descriptor;
  bool is_ascii = false;
  std::string kept{};  ///< start of an incomplete character
};

/// Writes all of it; returns false and sets errno on failure.
bool write_to(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

ssize_t write_plain(void* cookie, const char* text, std::size_t bytes) {
  auto& plain = *static_cast<Plain*>(cookie);
  const bool is_error = plain.descriptor == 2;
  if (!plain.is_ascii)
    return write_to(plain.descriptor, {text, bytes}) || is_error ? static_cast<ssize_t>(bytes) : 0;
  std::string all = std::exchange(plain.kept, "") + std::string(text, bytes);
  // At most three bytes of an incomplete character are kept.
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, all.size()); ++back) {
    const auto byte = static_cast<unsigned char>(all[all.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    if (length > back) {
      plain.kept = all.substr(all.size() - back);
      all.resize(all.size() - back);
    }
    break;
  }
  // The stream's function returns 0 for an error, and sets errno.
  return write_to(plain.descriptor, in_ascii(all)) || is_error ? static_cast<ssize_t>(bytes) : 0;
}

std::FILE* plain_stream(int descriptor, int buffering, bool is_ascii) {
  // One for each stream, never destroyed, since static objects may print at exit.
  static auto& plains =
      *std::make_unique<std::array<Plain, 2>>(std::array<Plain, 2>{{{1}, {2}}}).release();
  plains[static_cast<std::size_t>(descriptor - 1)].is_ascii = is_ascii;
  cookie_io_functions_t functions{};
  functions.write = write_plain;
  std::FILE* stream =
      ::fopencookie(&plains[static_cast<std::size_t>(descriptor - 1)], "w", functions);
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

std::FILE*& original_output() {
  static std::FILE* stream = stdout;
  return stream;
}

}  // namespace

std::string& colour_choice() {
  static std::string choice = "auto";
  return choice;
}

TextFormat text_format() {
  const bool is_terminal = ::isatty(1) != 0;
  TextFormat format;
  format.width = terminal_width();
  // NO_COLOR counts if it is not empty (no-color.org).
  const bool is_plain =
      !environment("NO_COLOR").value_or("").empty() || environment("TERM").value_or("") == "dumb";
  format.has_colour =
      colour_choice() == "always" || (colour_choice() == "auto" && is_terminal && !is_plain);
  return format;
}

bool is_utf8_locale() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", locale_t{});
  if (locale != locale_t{}) {
    const std::string_view encoding = ::nl_langinfo_l(CODESET, locale);
    const bool is_utf8 = encoding == "UTF-8" || encoding == "utf8";
    ::freelocale(locale);
    return is_utf8;
  }
  // A locale missing on this machine, as after ssh from another: judged by its name.
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const auto name = environment(variable); name && !name->empty())
      return name->find("UTF-8") != std::string::npos || name->find("utf8") != std::string::npos;
  return false;
}

std::string in_ascii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(
        kInAscii, [&](const auto& pair) { return text.substr(at).starts_with(pair.first); });
    if (static_cast<unsigned char>(text[at]) < 0x80 || found == kInAscii.end()) {
      out += text[at++];
    } else {
      out += found->second;
      at += found->first.size();
    }
  }
  return out;
}

void adapt_output() {
  original_output();
  const bool is_ascii = !is_utf8_locale();
  if (std::FILE* stream = plain_stream(2, _IONBF, is_ascii)) stderr = stream;
  if (!is_ascii) return;
  if (std::FILE* stream = plain_stream(1, ::isatty(1) != 0 ? _IOLBF : _IOFBF, true))
    stdout = stream;
}

void print_data() { stdout = original_output(); }

}  // namespace kernelbatch::app
