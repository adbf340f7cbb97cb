#include "core/report/ci_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch {

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // XML 1.0 has no other control characters.
        result += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
  return result;
}

std::string junit_suite(std::string_view name, std::size_t tests, std::size_t failures,
                        std::size_t skipped, const std::string& cases) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}"
      "  </testsuite>\n</testsuites>\n",
      xml_text(name), tests, failures, skipped, cases);
}

std::string workflow_text(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    const bool separates =
        c == '%' || c == '\n' || c == '\r' || (is_property && (c == ':' || c == ','));
    if (separates)
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result;
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : visible_line(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

std::string latex_text(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kCommands[] = {
      {"_", "\\_"},
      {"%", "\\%"},
      {"&", "\\&"},
      {"#", "\\#"},
      {"$", "\\$"},
      {"{", "\\{"},
      {"}", "\\}"},
      {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"},
      {"\\", "\\textbackslash{}"},
      {"µ", "\\textmu{}"},
      {"±", "\\textpm{}"}};
  const std::string line = visible_line(text);
  std::string result;
  for (std::string_view rest = line; !rest.empty();) {
    const auto* const found = std::ranges::find_if(
        kCommands, [&](const auto& each) { return rest.starts_with(each.first); });
    const bool is_plain = found == std::end(kCommands);
    const std::size_t length = is_plain ? 1 : found->first.size();
    result += is_plain ? rest.substr(0, 1) : found->second;
    rest.remove_prefix(length);
  }
  return result;
}

}  // namespace kernelbatch
