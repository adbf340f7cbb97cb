// SecondSet: other inputs for the same case, unknown before the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/case/case_loader.hpp"
#include "core/case/prepared_memory.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

struct SecondSet {
  LoadedProblem loaded = {};
  HiddenOutputs want = {};   ///< the reference's outputs for it
  std::int64_t seed = -1;    ///< random seed of the set
  std::string why_not = {};  ///< why there is none although one was requested
  bool is_there() const noexcept { return loaded.problem != nullptr && why_not.empty(); }
};

/// Draws a seed and loads the case again with it; `load` throws if that is impossible. Gives a
/// reason if no input is random, or if the host's memory cannot hold `inputs` and `want` twice.
SecondSet load_second_set(const NamedArrays& inputs, const HiddenOutputs& want,
                          const std::function<LoadedProblem(std::uint64_t shift)>& load);

}  // namespace kernelbatch
