// Parses a text from left to right, instead of a regular expression.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace kernelbatch {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
/// A letter of ASCII, a digit or an underscore.
constexpr bool is_word_character(char c) noexcept {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A position in a text that advances as text is read.
class TextCursor {
 public:
  constexpr explicit TextCursor(std::string_view text, std::size_t at = 0) noexcept
      : text_(text), at_(at < text.size() ? at : text.size()) {}

  constexpr std::size_t position() const noexcept { return at_; }
  constexpr bool at_end() const noexcept { return at_ == text_.size(); }
  constexpr std::string_view rest() const noexcept { return text_.substr(at_); }

  /// True, and moves past `words`, if they are next.
  constexpr bool take(std::string_view words) noexcept {
    if (!rest().starts_with(words)) return false;
    at_ += words.size();
    return true;
  }
  /// The first of `choices` that is next, and moves past it; empty if none is.
  constexpr std::string_view take_one_of(std::initializer_list<std::string_view> choices) noexcept {
    for (const std::string_view choice : choices)
      if (take(choice)) return choice;
    return {};
  }
  /// The next characters that `belongs` accepts, possibly none; moves past them.
  template <class Predicate>
  constexpr std::string_view take_while(Predicate belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  constexpr std::string_view take_digits() { return take_while(is_digit); }
  constexpr std::string_view take_word() { return take_while(is_word_character); }
  constexpr std::string_view take_blanks() { return take_while(is_blank); }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// `text` without the blanks at its end.
constexpr std::string_view without_blank_end(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// True if `text` ends with `word` and no word character precedes it.
constexpr bool ends_with_word(std::string_view text, std::string_view word) noexcept {
  return text.ends_with(word) &&
         (text.size() == word.size() || !is_word_character(text[text.size() - word.size() - 1]));
}

/// True if a word can begin at `at`: the character before it belongs to none.
constexpr bool begins_word(std::string_view text, std::size_t at) noexcept {
  return at == 0 || !is_word_character(text[at - 1]);
}

}  // namespace kernelbatch
