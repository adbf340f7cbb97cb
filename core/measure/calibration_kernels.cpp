#include "core/measure/calibration_kernels.hpp"

namespace kernelbatch {
namespace {

KernelSource nothing_source() {
  KernelSource source;
  source.name = "calibration_nothing";
  source.text = "extern \"C\" __global__ void calibration_nothing() {}\n";
  source.entries = {"calibration_nothing"};
  return source;
}

}  // namespace

CalibrationKernels::CalibrationKernels()
    : nothing_(nothing_source()),
      copy_({.in = "int64 x", .out = "int64 y", .operation = "y = x", .name = "calibration_copy"}),
      read_({.in = "int64 x",
             .out = "int64 y",
             .map = "x",
             .reduce = "a + b",
             .post_map = "y = a",
             .identity = "0",
             .name = "calibration_read"}) {}

void CalibrationKernels::nothing(Stream& stream) {
  nothing_.kernel(stream.device(), "calibration_nothing").launch({}, {}, stream);
}

void CalibrationKernels::copy(Stream& stream, const Array& from, const Array& to) const {
  copy_(stream, from, to);
}

void CalibrationKernels::read(Stream& stream, const Array& from, const Array& sum) const {
  read_(stream, from, sum);
}

}  // namespace kernelbatch
