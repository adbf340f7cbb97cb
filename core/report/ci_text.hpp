// Text escaped for other formats: JUnit's XML, GitHub's workflow commands, Markdown, LaTeX.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelbatch {

/// Text of an XML element or attribute; characters that XML 1.0 does not allow are replaced.
std::string xml_text(std::string_view text);

/// A document of one suite, with its test cases as elements.
std::string junit_suite(std::string_view name, std::size_t tests, std::size_t failures,
                        std::size_t skipped, const std::string& cases);

/// Text for a GitHub workflow command. Its separators are escaped; properties have two more.
std::string workflow_text(std::string_view text, bool is_property);

/// Text for a Markdown table cell, on one line.
std::string markdown_text(std::string_view text);

/// Text for LaTeX with the encoding UTF-8, on one line. Characters with a meaning in LaTeX are
/// escaped; µ and ± become commands.
std::string latex_text(std::string_view text);

}  // namespace kernelbatch
