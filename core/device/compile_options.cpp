#include "core/device/compile_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

void require_no_substitution(std::span<const std::string> words) {
  for (const std::string& word : words)
    if (word.find_first_of("$`") != std::string::npos)
      throw SpecError(
          fmt::format("nvcc would have a shell run a part of '{}': no option and no folder that it "
                      "is given (TMPDIR, too) may have '$' or '`' in it",
                      word));
}

}  // namespace kernelbatch
