// Names of GPUs and slices on command lines.
#pragma once

#include <optional>
#include <string_view>

namespace kernelbatch::cuda {

inline constexpr std::string_view kName = "cuda";
inline constexpr std::string_view kSelectorForms = "cuda, cuda:N, or a GPU-… or MIG-… UUID";

/// True if a text has one of these forms.
bool is_selector(std::string_view text);

/// N of cuda:N.
std::optional<int> ordinal_in(std::string_view selector);

bool is_slice(std::string_view selector);
bool is_uuid(std::string_view selector);

}  // namespace kernelbatch::cuda
