#include "core/device/cuda/selector.hpp"

#include <charconv>

namespace kernelbatch::cuda {

bool is_selector(std::string_view text) {
  return text == kName || is_uuid(text) || ordinal_in(text);
}

std::optional<int> ordinal_in(std::string_view selector) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!selector.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = selector.substr(kPrefix.size());
  int ordinal = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc{} || end != digits.data() + digits.size() || ordinal < 0)
    return std::nullopt;
  return ordinal;
}

bool is_slice(std::string_view selector) { return selector.starts_with("MIG-"); }

bool is_uuid(std::string_view selector) {
  return selector.starts_with("GPU-") || is_slice(selector);
}

}  // namespace kernelbatch::cuda
