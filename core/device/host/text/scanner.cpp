#include "core/device/host/text/scanner.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace kernelbatch::host {
namespace {

std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

/// R"mark(…)mark": the quote is at `at`.
std::size_t skip_raw(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) return text.size();
  const std::string end = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  return behind(text, end, open);
}

}  // namespace

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skip_literal(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return behind(text, "*/", at + 2);
  if (rest.starts_with("R\"") && (at == 0 || !is_word_letter(text[at - 1])))
    return skip_raw(text, at + 1);
  if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return at;
  // 1'000: no literal begins there.
  if (rest.front() == '\'' && at > 0 &&
      std::isxdigit(static_cast<unsigned char>(text[at - 1])) != 0)
    return at + 1;
  for (std::size_t k = at + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == '\\')
      ++k;
    else if (text[k] == rest.front())
      return k + 1;
  }
  return std::min(text.find('\n', at), text.size());
}

std::size_t skip_blank(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(text[at])) != 0 ||
                          (text[at] == '\\' && text.substr(at + 1, 1) == "\n");
    const bool is_comment = text.substr(at, 2) == "//" || text.substr(at, 2) == "/*";
    if (!is_blank && !is_comment) break;
    at = is_comment ? skip_literal(text, at) : at + 1;
  }
  return at;
}

std::size_t skip_brackets(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    if (const std::size_t end = skip_literal(text, at); end > at) {
      at = end;
      continue;
    }
    const char c = text[at++];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace kernelbatch::host
