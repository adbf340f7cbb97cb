// What a job may tune of the raw variant of l2norm.
#pragma once

#include <string>
#include <vector>

#include "plugins/l2norm/schedule.hpp"

namespace kernelbatch::workloads::l2norm {

std::vector<ParameterDeclaration> tuning_parameters();

struct Tuning {
  bool is_set = false;  ///< a job sets one of them
  Choices choices;
  std::int64_t items = 4;  ///< loads of a thread side by side
};

/// Throws UnsupportedError, naming the parameters, where there is no such kernel.
Tuning tuning_of(const L2Norm& problem, Run& run);

/// Of the compiler; none: the kernels compiled ahead. Throws UnsupportedError where sums have too
/// few chains for the tolerance.
std::vector<std::string> options_of(const L2Norm& problem, const Schedule& schedule,
                                    const Tuning& tuning);

}  // namespace kernelbatch::workloads::l2norm
