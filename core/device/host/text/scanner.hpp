// Finding one's way in C++ text: what is a comment, a literal, a bracket's other half.
#pragma once

#include <cstddef>
#include <string_view>

namespace kernelbatch::host {

bool is_word_letter(char c);

/// The end of the comment, the text or character literal that begins at `at`; `at` itself where
/// none does.
std::size_t skip_literal(std::string_view text, std::size_t at);

/// The first place from `at` on that is neither white space nor comment.
std::size_t skip_blank(std::string_view text, std::size_t at);

/// Behind the bracket that closes the one at `at`; npos where there is none.
std::size_t skip_brackets(std::string_view text, std::size_t at);

}  // namespace kernelbatch::host
