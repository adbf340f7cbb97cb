#include "core/kernel/text/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelbatch {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end of the comment or literal that begins at `k`; `k` itself where none does.
std::size_t end_of_silence(std::string_view text, std::size_t k) {
  const char c = text[k];
  if (text.substr(k, 2) == "//") return std::min(text.find('\n', k), text.size());
  if (text.substr(k, 2) == "/*") {
    const std::size_t end = text.find("*/", k + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (c != '"' && c != '\'') return k;
  ++k;
  while (k < text.size() && text[k] != c) k += text[k] == '\\' ? 2 : 1;
  return std::min(k + 1, text.size());
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (const std::size_t end = end_of_silence(text, k); end > k) {
      k = end;
    } else if (is_word(c)) {
      const std::size_t begin = k;
      while (k < text.size() && is_word(text[k])) ++k;
      tokens.emplace_back(text.substr(begin, k - begin));
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++k;
    } else {
      const std::size_t length = text.substr(k, 2) == "==" ? 2 : 1;
      tokens.emplace_back(text.substr(k, length));
      k += length;
    }
  }
  return tokens;
}

std::string replace_identifiers(std::string_view text,
                                const std::map<std::string, std::string>& names) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t begin = k;
    const char c = text[k];
    if (const std::size_t end = end_of_silence(text, k); end > k) {
      k = end;
    } else if (is_word(c)) {
      while (k < text.size() && is_word(text[k])) ++k;
      const auto found = names.find(std::string(text.substr(begin, k - begin)));
      // A member of something has the same name by chance.
      const bool is_member =
          begin > 0 && (text[begin - 1] == '.' || text.substr(0, begin).ends_with("->"));
      if (found != names.end() && !is_member) {
        result += found->second;
        continue;
      }
    } else {
      ++k;
    }
    result += text.substr(begin, k - begin);
  }
  return result;
}

bool mentions(std::string_view text, std::string_view identifier) {
  const std::vector<std::string> tokens = tokens_of(text);
  return std::find(tokens.begin(), tokens.end(), identifier) != tokens.end();
}

bool assigns_first(std::string_view text, std::string_view name) {
  constexpr std::array<std::string_view, 4> kLeaving{"goto", "return", "break", "continue"};
  const std::vector<std::string> tokens = tokens_of(text);
  std::size_t statement = 0;  // first token of the current statement
  int braces = 0, parentheses = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string& token = tokens[k];
    if (std::find(kLeaving.begin(), kLeaving.end(), token) != kLeaving.end()) return false;
    if (token == "(") ++parentheses;
    if (token == ")") --parentheses;
    if (token == "{") ++braces;
    if (token == "}") --braces;
    if ((token == ";" && parentheses == 0) || token == "}") statement = k + 1;
    if (token == name) {
      // `if (c) z = 1;` begins with `if`: an assignment that nothing decides begins its statement.
      if (braces > 0 || k != statement || k + 1 >= tokens.size() || tokens[k + 1] != "=")
        return false;
      // The right-hand side is evaluated first: `z = z + x` reads z.
      for (std::size_t rest = k + 2; rest < tokens.size() && tokens[rest] != ";"; ++rest)
        if (tokens[rest] == name) return false;
      return true;
    }
  }
  return false;
}

bool is_statement_block(std::string_view text) {
  const std::vector<std::string> tokens = tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const std::string& token) { return token == ";" || token == "return"; });
}

}  // namespace kernelbatch
