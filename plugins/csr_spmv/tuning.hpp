// Tuning parameters of csr_spmv's raw variant, besides `lanes`.
#pragma once

#include <string>
#include <vector>

#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

std::vector<ParameterDeclaration> tuning_parameters();

struct Tuning {
  std::int64_t block = 256;  ///< threads
  std::int64_t rows_per_block = 0;
  std::vector<std::string> options;  ///< of the compiler; empty: the precompiled kernels
};

/// For rows of `mean` entries. Throws UnsupportedError, naming the parameters, if there is no such
/// kernel.
Tuning tuning_of(const CsrSpmv& problem, std::int64_t mean, Run& run);

}  // namespace kernelbatch::workloads::csr_spmv
