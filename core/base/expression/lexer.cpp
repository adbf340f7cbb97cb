#include "core/base/expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kernelbatch::detail {
namespace {

using Token = ExpressionToken;

class ExpressionLexer {
 public:
  ExpressionLexer(const ExpressionLanguage& language, const ExpressionTree& tree)
      : language_(language), tree_(tree), text_(tree.text) {}

  Token next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (at_ == text_.size()) return {.column = at_};
    const char c = text_[at_];
    if (is_figure(c) || (c == '.' && at_ + 1 < text_.size() && is_figure(text_[at_ + 1])))
      return take(Token::Kind::kNumber, number_end());
    if (is_of_word(c) && c != '.') return take(Token::Kind::kName, name_end());
    if (c == '\'' || c == '"') return quoted(c);
    if (static_cast<unsigned char>(c) >= 0x80)
      tree_.fail(at_, "a character that no expression has outside of quotes");
    return take(Token::Kind::kSymbol, at_ + symbol_length());
  }

 private:
  static bool is_figure(char c) { return c >= '0' && c <= '9'; }
  static bool is_of_word(char c) {
    return is_figure(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }

  Token take(Token::Kind kind, std::size_t end) {
    const std::size_t begin = std::exchange(at_, end);
    return {kind, std::string(text_.substr(begin, end - begin)), begin};
  }

  /// Units and other letters belong to the number; the number's parser rejects them.
  std::size_t number_end() const {
    std::size_t end = at_;
    while (end < text_.size()) {
      const bool is_exponent_sign = end > at_ && (text_[end] == '-' || text_[end] == '+') &&
                                    (text_[end - 1] == 'e' || text_[end - 1] == 'E');
      if (!is_of_word(text_[end]) && !is_exponent_sign) break;
      ++end;
    }
    return end;
  }

  std::size_t name_end() const {
    std::size_t end = at_;
    while (end < text_.size() && is_of_word(text_[end])) ++end;
    // `x.shape[0]` is one name.
    if (!text_.substr(at_, end - at_).ends_with(".shape") || end == text_.size() ||
        text_[end] != '[')
      return end;
    const std::size_t close = text_.find(']', end);
    if (close == std::string_view::npos) tree_.fail(end, "no closing ]");
    return close + 1;
  }

  Token quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) tree_.fail(at_, fmt::format("no closing {}", quote));
    Token token = take(Token::Kind::kText, end + 1);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }

  std::size_t symbol_length() const {
    std::size_t length = 1;
    const auto look = [&](std::string_view spelling) {
      if (text_.substr(at_).starts_with(spelling)) length = std::max(length, spelling.size());
    };
    for (const ExpressionOperator& row : language_.operators) look(row.spelling);
    for (const ForeignOperator& row : language_.foreign) look(row.spelling);
    return length;
  }

  const ExpressionLanguage& language_;
  const ExpressionTree& tree_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<ExpressionToken> expression_tokens(const ExpressionLanguage& language,
                                               const ExpressionTree& tree) {
  ExpressionLexer lexer(language, tree);
  std::vector<Token> tokens;
  do tokens.push_back(lexer.next());
  while (tokens.back().kind != Token::Kind::kEnd);
  return tokens;
}

}  // namespace kernelbatch::detail
