// Texts for programs of CI: JUnit's XML, commands of GitHub's workflows.
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

}  // namespace kernelbatch
