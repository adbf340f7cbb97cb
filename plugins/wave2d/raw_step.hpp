// A step of wave2d as a raw kernel, for plain launches and for the graph.
#pragma once

#include "core/kernel/raw.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace wave2d {

class RawStep {
 public:
  RawStep(const Wave2D& in, kernelbatch::Run& run);
  void operator()(kernelbatch::Stream& stream, const kernelbatch::Array& now,
                  const kernelbatch::Array& before) const;

 private:
  kernelbatch::Array q_;
  kernelbatch::RawModule module_;
  kernelbatch::RawKernel kernel_;
};

}  // namespace wave2d
