#include "core/case/second_set.hpp"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "core/base/memory.hpp"

namespace kernelbatch {
namespace {

/// Whether arrays of the same names and forms differ in any element.
bool is_other(const NamedArrays& a, const NamedArrays& b) {
  if (a.size() != b.size()) return true;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Array first = contiguous(a[k].second), second = contiguous(b[k].second);
    if (first.bytes() != second.bytes() ||
        (first.bytes() > 0 && std::memcmp(first.data(), second.data(), first.bytes()) != 0))
      return true;
  }
  return false;
}

}  // namespace

SecondSet load_second_set(const NamedArrays& inputs, const HiddenOutputs& want,
                          const std::function<LoadedProblem(std::uint64_t shift)>& load) {
  SecondSet second;
  double bytes = 0;
  for (const auto& [name, array] : inputs) bytes += static_cast<double>(array.bytes());
  for (const auto& [name, array] : want) bytes += 2 * static_cast<double>(array.bytes());
  if (bytes > 0.5 * static_cast<double>(available_memory())) {
    second.why_not = "the host's memory does not hold a second one";
    return second;
  }
  std::random_device source;
  second.seed = 1 + static_cast<std::int64_t>(source() >> 1);
  try {
    second.loaded = load(static_cast<std::uint64_t>(second.seed));
  } catch (const std::exception& error) {
    second.why_not = fmt::format("a second one cannot be made: {}", error.what());
    return second;
  }
  // Without inputs from the job, the workload may generate them itself.
  if (!inputs.empty() && !is_other(inputs, second.loaded.inputs))
    second.why_not = "none of them can be drawn or ordered again";
  return second;
}

}  // namespace kernelbatch
