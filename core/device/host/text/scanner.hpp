// Scanning C++ text: comments, literals, matching brackets.
#pragma once

#include <cstddef>
#include <string_view>

namespace kernelbatch::host {

bool is_word_letter(char c);

/// The end of the comment, string or character literal that begins at `at`; `at` itself if none
/// does.
std::size_t skip_literal(std::string_view text, std::size_t at);

/// The first position from `at` on that is neither white space nor comment.
std::size_t skip_blank(std::string_view text, std::size_t at);

/// The position after the bracket that closes the one at `at`; npos if there is none.
std::size_t skip_brackets(std::string_view text, std::size_t at);

}  // namespace kernelbatch::host
