// What standard output is, and how text is fitted to it.
#pragma once

#include <string>
#include <string_view>

#include "core/report/text_table.hpp"

namespace kernelbatch::app {

/// What standard output is: as wide as the terminal or as COLUMNS says, coloured as --color and
/// NO_COLOR say.
TextFormat text_format();

/// --color: auto, always or never.
std::string& colour_choice();

/// Is the locale's encoding UTF-8?
bool is_utf8_locale();

/// Where the locale's encoding is not UTF-8, what is printed from now on has "+-" in place of "±"
/// and the like. Letters of names and paths pass as they are. Standard error that takes no more, on
/// a full disk or in a closed pipe, is no reason to end: what is written there from now on is lost.
void adapt_output();

/// Standard output from now on holds data (JSON, CSV, YAML), which is UTF-8 in every locale.
void print_data();

/// `text` in the ASCII that adapt_output() gives it.
std::string in_ascii(std::string_view text);

}  // namespace kernelbatch::app
