// Schedules of reductions on an imagined H200.
#pragma once

#include "core/kernel/reduction/policy.hpp"
#include "tests/support/h200.hpp"

namespace kernelbatch::test {

/// A C-ordered array whose memory is never touched, at an address with that alignment.
inline Array imagined(DType dtype, const Shape& shape, std::uintptr_t address = 1 << 20) {
  return Array::of_memory(reinterpret_cast<void*>(address), dtype, shape);
}

inline ReductionSchedule schedule(const Array& input, const std::vector<int>& axes,
                                  const DeviceProperties& device = h200_properties(),
                                  const ReductionFreedom& freedom = {true, true}) {
  const std::vector<Array> inputs{input};
  ReductionLoops loops = plan_reduction(inputs, input.shape(), axes, false);
  const Array output = imagined(input.dtype(), loops.out_shape);
  add_output(loops, output, input.shape(), axes, false);
  finish_outer(loops);
  const std::vector<const Array*> arrays{&input, &output};
  return schedule_reduction(loops, inputs, arrays, freedom, device);
}

}  // namespace kernelbatch::test
