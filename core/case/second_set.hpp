// SecondSet: other inputs for the same case, which nobody knew before the run.
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
  OutputArrays want = {};    ///< what the reference makes of it
  std::int64_t seed = -1;    ///< drawn for it
  std::string why_not = {};  ///< why there is none where one was asked for
  bool is_there() const noexcept { return loaded.problem != nullptr && why_not.empty(); }
};

/// Draws a seed and loads the case once more with it; `load` throws where that cannot be done. Says
/// why not where no input is random, or where the host's memory does not hold `inputs` and `want`
/// twice.
SecondSet load_second_set(const NamedArrays& inputs, const OutputArrays& want,
                          const std::function<LoadedProblem(std::uint64_t shift)>& load);

}  // namespace kernelbatch
