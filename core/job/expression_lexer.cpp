#include "core/job/expression_lexer.hpp"

#include <fmt/format.h>

namespace kernelbatch::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

}  // namespace

bool is_comparison_pair(std::string_view two) noexcept {
  return two == "==" || two == "!=" || two == "<=" || two == ">=";
}

Token ExpressionLexer::next() {
  const std::string& text = tree_.text;
  while (at_ < text.size() && std::string_view(" \t\r\n").find(text[at_]) != std::string::npos)
    ++at_;
  Token token{.column = at_};
  if (at_ == text.size()) return token;
  const char c = text[at_];
  if (is_digit(c) || (c == '.' && at_ + 1 < text.size() && is_digit(text[at_ + 1])))
    return read_word(Token::Kind::kNumber);
  if (is_word(c) && c != '.') return read_word(Token::Kind::kName);
  if (c == '\'' || c == '"') {
    const std::size_t end = text.find(c, at_ + 1);
    if (end == std::string::npos) tree_.fail(at_, fmt::format("no closing {}", c));
    token = {Token::Kind::kText, text.substr(at_ + 1, end - at_ - 1), at_};
    at_ = end + 1;
  } else {
    const std::size_t length = is_comparison_pair(text.substr(at_, 2)) ? 2 : 1;
    token = {Token::Kind::kSymbol, text.substr(at_, length), at_};
    if (length == 1 && std::string_view("+-*/%^()[],<>").find(c) == std::string_view::npos)
      refuse_character(c);
    at_ += length;
  }
  return token;
}

void ExpressionLexer::refuse_character(char c) const {
  if (c == '=') tree_.fail(at_, "'=' is no operator here: compare with '=='");
  if (c == '!') tree_.fail(at_, "'!' is no operator here: write 'not'");
  if (c == '&') tree_.fail(at_, "'&' is no operator here: write 'and'");
  if (c == '|') tree_.fail(at_, "'|' is no operator here: write 'or'");
  if (static_cast<unsigned char>(c) >= 0x80)
    tree_.fail(at_, "a character that no expression has outside of quotes");
  tree_.fail(at_, fmt::format("unexpected '{}'", c));
}

Token ExpressionLexer::read_word(Token::Kind kind) {
  const std::string& text = tree_.text;
  const std::size_t begin = at_;
  while (at_ < text.size()) {
    const bool is_exponent_sign = kind == Token::Kind::kNumber && at_ > begin &&
                                  (text[at_] == '-' || text[at_] == '+') &&
                                  (text[at_ - 1] == 'e' || text[at_ - 1] == 'E');
    if (!is_word(text[at_]) && !is_exponent_sign) break;
    ++at_;
  }
  // `x.shape[0]` is one name.
  if (kind == Token::Kind::kName && text.substr(begin, at_ - begin).ends_with(".shape") &&
      at_ < text.size() && text[at_] == '[') {
    const std::size_t close = text.find(']', at_);
    if (close == std::string::npos) tree_.fail(at_, "no closing ]");
    at_ = close + 1;
  }
  return {kind, text.substr(begin, at_ - begin), begin};
}

}  // namespace kernelbatch::detail
