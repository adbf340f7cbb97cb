#include "core/kernel/text/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end of `"(…)"` with its delimiter, for a raw string whose quote is at `quote`.
std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

/// True if a string literal after this prefix is raw.
bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
}

/// The end of the comment or literal that begins at `k`; `k` itself if there is none.
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

/// The end of the identifier or number that begins at `k`.
std::size_t end_of_word(std::string_view text, std::size_t k) {
  const bool is_number = is_digit(text[k]);
  while (k < text.size() && (is_word(text[k]) || (is_number && text[k] == '\'' &&
                                                  k + 1 < text.size() && is_word(text[k + 1]))))
    ++k;
  return k;
}

}  // namespace

std::vector<Token> read_tokens(std::string_view text) {
  std::vector<Token> tokens;
  bool begins_line = true, in_directive = false;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (c == '\n') {
      begins_line = true;
      in_directive = in_directive && k > 0 && text[k - 1] == '\\';
      ++k;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      ++k;
    } else if (const std::size_t end = end_of_silence(text, k); end > k) {
      begins_line = begins_line && c == '/';
      k = end;
    } else {
      if (c == '#' && begins_line) in_directive = true;
      begins_line = false;
      const std::size_t begin = k;
      k = is_word(c) ? end_of_word(text, k) : k + (text.substr(k, 2) == "==" ? 2 : 1);
      const std::string_view token = text.substr(begin, k - begin);
      if (k < text.size() && text[k] == '"' && is_raw_prefix(token))
        k = end_of_raw_string(text, k);
      else
        tokens.push_back({token, begin, in_directive});
    }
  }
  return tokens;
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (const Token& token : read_tokens(text)) tokens.emplace_back(token.text);
  return tokens;
}

bool mentions(std::string_view text, std::string_view identifier) {
  const std::vector<Token> tokens = read_tokens(text);
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return token.text == identifier; });
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
      // `if (c) z = 1;` begins with `if`: an unconditional assignment begins its statement.
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

bool may_leave(std::string_view text) {
  const auto has = [tokens = tokens_of(text)](std::initializer_list<std::string_view> words) {
    return std::find_first_of(tokens.begin(), tokens.end(), words.begin(), words.end()) !=
           tokens.end();
  };
  return has({"return", "continue"}) || (has({"break"}) && !has({"for", "while", "switch"}));
}

std::string enclosed(std::string_view text, std::string_view name) {
  // `-> void`, whatever the first `return` has.
  return fmt::format(
      "#line 1 \"generated\"\n[&]() -> void {{ do {{\n#line 1 \"{}\"\n{}\n;\n"
      "#line 1 \"generated\"\n}} while (false); }}()",
      name, text);
}

bool is_statement_block(std::string_view text) {
  const std::vector<std::string> tokens = tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const std::string& token) { return token == ";" || token == "return"; });
}

}  // namespace kernelbatch
