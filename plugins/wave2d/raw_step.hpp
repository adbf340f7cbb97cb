// A step of wave2d as a raw kernel, for plain launches and for the graph.
#pragma once

#include "core/kernel/raw/kernel.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

class RawStep {
 public:
  RawStep(const Wave2D& in, Run& run);
  void operator()(Stream& stream, const Array& now, const Array& before) const;

 private:
  Array q_;
  RawModule module_;
  RawKernel kernel_;
};

}  // namespace kernelbatch::workloads::wave2d
