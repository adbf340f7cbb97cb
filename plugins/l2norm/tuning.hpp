// Tuning parameters of l2norm's raw variant.
#pragma once

#include <string>
#include <vector>

#include "plugins/l2norm/schedule.hpp"

namespace kernelbatch::workloads::l2norm {

std::vector<ParameterDeclaration> tuning_parameters();

struct Tuning {
  bool is_set = false;  ///< a job sets one of the parameters
  Choices choices;
  std::int64_t items = 4;  ///< independent loads of a thread
};

/// Throws UnsupportedError, naming the parameters, if there is no such kernel.
Tuning tuning_of(const L2Norm& problem, Run& run);

/// Options of the compiler; empty: the precompiled kernels. Throws UnsupportedError if sums have
/// too few chains for the tolerance.
std::vector<std::string> options_of(const L2Norm& problem, const Schedule& schedule,
                                    const Tuning& tuning);

}  // namespace kernelbatch::workloads::l2norm
