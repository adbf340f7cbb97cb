#include "core/device/compile_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

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

}  // namespace kernelbatch
