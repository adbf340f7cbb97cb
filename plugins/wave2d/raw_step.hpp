// A step of wave2d as a raw kernel, for plain launches and for the graph.
#pragma once

#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

/// Tuning parameters of the raw kernels.
std::vector<ParameterDeclaration> tuning_parameters();

/// Cells of a block's threads: `items` rows of `vector` columns per thread.
struct Cells {
  std::int64_t block_x, block_y, items, vector, unroll;
  bool is_shared;
};

class RawStep {
 public:
  /// Throws UnsupportedError, naming the parameters, if a job requests an impossible kernel.
  RawStep(const Wave2D& in, Run& run);
  void operator()(Stream& stream, const Array& now, const Array& before) const;

 private:
  Array q_;
  Cells cells_;
  RawKernel by_elements_, by_vectors_;
};

}  // namespace kernelbatch::workloads::wave2d
