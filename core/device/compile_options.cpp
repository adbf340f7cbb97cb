#include "core/device/compile_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/base/error.hpp"

namespace kernelbatch {

bool asks_for_relocatable_code(std::span<const std::string> options) {
  constexpr std::array<std::string_view, 5> kAsking{"-rdc=true", "--rdc=true", "-dc", "--device-c",
                                                    "--relocatable-device-code=true"};
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::find(kAsking.begin(), kAsking.end(), option) != kAsking.end();
  });
}

bool names_standard(std::span<const std::string> options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.find("-std=") != std::string::npos;
  });
}

bool reads_prelude(std::span<const std::string> options) {
  constexpr std::array<std::string_view, 3> kOld{"c++03", "c++11", "c++14"};
  return std::none_of(options.begin(), options.end(), [&](const std::string& option) {
    return option.find("-std=") != std::string::npos &&
           std::any_of(kOld.begin(), kOld.end(),
                       [&](std::string_view old) { return option.ends_with(old); });
  });
}

namespace {

/// Whether an '@' begins a word, or what belongs to an option: in a name or path it stands behind a
/// letter.
bool has_response_file(const std::string& option) {
  for (std::size_t at = option.find('@'); at != std::string::npos; at = option.find('@', at + 1)) {
    const bool ends_option = at == 2 && option[0] == '-';
    if (at == 0 || ends_option) return true;
    const auto before = static_cast<unsigned char>(option[at - 1]);
    if (std::isalnum(before) == 0 &&
        std::string_view("_./-+").find(option[at - 1]) == std::string_view::npos)
      return true;
  }
  return option.starts_with("--options-file") || option.starts_with("-options-file") ||
         option.starts_with("-optf") || option.starts_with("--optf");
}

}  // namespace

void require_no_response_files(std::span<const std::string> options) {
  for (const std::string& option : options)
    if (has_response_file(option))
      throw SpecError(
          fmt::format("the option '{}' has the compiler read options from a file, which would be "
                      "in no record: write them into the job",
                      option));
}

void require_no_substitution(std::span<const std::string> words) {
  for (const std::string& word : words)
    if (word.find_first_of("$`") != std::string::npos)
      throw SpecError(
          fmt::format("nvcc would have a shell run a part of '{}': no option and no folder that it "
                      "is given (TMPDIR, too) may have '$' or '`' in it",
                      word));
}

}  // namespace kernelbatch
