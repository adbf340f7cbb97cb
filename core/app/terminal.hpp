// Properties of standard output, and fitting text to it.
#pragma once

#include <string>
#include <string_view>

#include "core/report/text_table.hpp"

namespace kernelbatch::app {

/// Format for standard output: width from the terminal or COLUMNS, colour from --color and
/// NO_COLOR.
TextFormat text_format();

/// --color: auto, always or never.
std::string& colour_choice();

/// True if the locale's encoding is UTF-8.
bool is_utf8_locale();

/// If the locale's encoding is not UTF-8, later output has "+-" instead of "±" and so on. Letters
/// of names and paths are unchanged. If standard error fails, on a full disk or a closed pipe,
/// later output to it is dropped without ending the process.
void adapt_output();

/// Later standard output is data (JSON, CSV, YAML), which is UTF-8 in every locale.
void print_data();

/// `text` converted to ASCII as by adapt_output().
std::string in_ascii(std::string_view text);

}  // namespace kernelbatch::app
