// What can be found out about kernel text without parsing C++.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// Identifiers, numbers and single punctuation characters of C++ text; `==` stays one token.
/// Comments and the insides of literals are left out.
std::vector<std::string> tokens_of(std::string_view text);

/// Whether the identifier occurs.
bool mentions(std::string_view text, std::string_view identifier);

/// The text with identifiers replaced; comments and literals stay as they are.
std::string replace_identifiers(std::string_view text,
                                const std::map<std::string, std::string>& names);

/// Whether the text surely assigns all of `name` before anything reads it: its first occurrence is
/// an unconditional `name = …` outside every brace, and nothing before it leaves the text. Then its
/// old value need not be loaded.
bool assigns_first(std::string_view text, std::string_view name);

/// Whether the text is a block of statements rather than one expression.
bool is_statement_block(std::string_view text);

}  // namespace kernelbatch
