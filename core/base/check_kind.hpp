// What a sanitizer looks for in kernels.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"

namespace kernelbatch {

enum class CheckKind : std::uint8_t {
  kMemory,  ///< accesses outside of arrays, misaligned ones, writes to what is only read
  kRace,    ///< accesses of two threads, one of them a write, that nothing orders
  kInit,    ///< reads of what nobody has written
  kSync,    ///< barriers and warp operations that not all threads come to
};
template <>
struct Names<CheckKind> {
  static constexpr Named<CheckKind> rows[] = {{CheckKind::kMemory, "memory"},
                                              {CheckKind::kRace, "race"},
                                              {CheckKind::kInit, "init"},
                                              {CheckKind::kSync, "sync"}};
};
using CheckKinds = std::set<CheckKind>;

inline CheckKinds all_checks() {
  CheckKinds all;
  for (const Named<CheckKind>& row : Names<CheckKind>::rows) all.insert(row.value);
  return all;
}

/// What runs kernels under checks.
enum class CheckPlace : std::uint8_t {
  kHost,  ///< the host device, with checks of its own
  kGpu,   ///< the GPU, under NVIDIA's compute-sanitizer
  kBoth,  ///< the one and then the other
};
template <>
struct Names<CheckPlace> {
  static constexpr Named<CheckPlace> rows[] = {
      {CheckPlace::kHost, "host"}, {CheckPlace::kGpu, "gpu"}, {CheckPlace::kBoth, "both"}};
};

/// What is checked instead of timing; no kinds: nothing.
struct Checks {
  CheckKinds kinds = {};
  CheckPlace place = CheckPlace::kHost;
  bool empty() const noexcept { return kinds.empty(); }
  bool operator==(const Checks&) const = default;
};

/// Of words such as "race" and "both"; without a kind all of them. Throws SpecError, with the
/// nearest name.
Checks parse_check_words(const std::vector<std::string>& words);

/// "memory,race", "memory,both"; empty for none.
std::string to_text(const Checks& checks);

/// Of "memory,race"; names are separated by commas. Throws SpecError, with the nearest name.
CheckKinds parse_checks(std::string_view text);

/// "memory,race"; empty for none.
std::string to_text(const CheckKinds& kinds);

}  // namespace kernelbatch
