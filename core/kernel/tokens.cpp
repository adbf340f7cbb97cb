#include "core/kernel/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernelbatch {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (text.substr(k, 2) == "//") {
      k = std::min(text.find('\n', k), text.size());
    } else if (text.substr(k, 2) == "/*") {
      const std::size_t end = text.find("*/", k + 2);
      k = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '"' || c == '\'') {
      ++k;
      while (k < text.size() && text[k] != c) k += text[k] == '\\' ? 2 : 1;
      ++k;
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
