// Checks of a sanitizer.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"

namespace kernelbatch {

enum class CheckKind : std::uint8_t {
  kMemory,  ///< accesses outside of arrays, misaligned accesses, writes to read-only memory
  kRace,    ///< unordered accesses of two threads, one of them a write
  kInit,    ///< reads of uninitialized memory
  kSync,    ///< barriers and warp operations that not all threads reach
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

/// Place where kernels run under checks.
enum class CheckPlace : std::uint8_t {
  kHost,  ///< the host device, with checks of its own
  kGpu,   ///< the GPU, under NVIDIA's compute-sanitizer
  kBoth,  ///< the host, then the GPU
};
template <>
struct Names<CheckPlace> {
  static constexpr Named<CheckPlace> rows[] = {
      {CheckPlace::kHost, "host"}, {CheckPlace::kGpu, "gpu"}, {CheckPlace::kBoth, "both"}};
};

/// Checks that replace timing; no kinds: none.
struct Checks {
  CheckKinds kinds = {};
  CheckPlace place = CheckPlace::kHost;
  bool empty() const noexcept { return kinds.empty(); }
  bool operator==(const Checks&) const = default;
};

/// Parses words such as "race" and "both"; without a kind, all kinds. Throws SpecError with the
/// nearest name.
Checks parse_check_words(const std::vector<std::string>& words);

/// "memory,race", "memory,both"; empty for none.
std::string to_text(const Checks& checks);

/// Parses "memory,race"; names are separated by commas. Throws SpecError with the nearest name.
CheckKinds parse_checks(std::string_view text);

/// "memory,race"; empty for none.
std::string to_text(const CheckKinds& kinds);

}  // namespace kernelbatch
