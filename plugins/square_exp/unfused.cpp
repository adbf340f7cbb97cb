// square_exp as two array operations, each with its own pass over memory.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work unfused(const SquareExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const auto square = run.scratch(in.x.dtype(), in.x.shape());
  const ElementwiseKernel squares{
      {.in = "T x", .out = "T square", .operation = "square = x * x", .name = "square_exp_square"}};
  const ElementwiseKernel exponentials{
      {.in = "T square", .out = "T y", .operation = "y = exp(square)", .name = "square_exp_exp"}};

  return [=](Stream& stream) {
    squares(stream, x, square);
    exponentials(stream, square, y);
  };
}
static const Variant kUnfused{"unfused", VariantKind::kUnfused,
                              "a square, then an exponential: two launches", unfused};

}  // namespace kernelbatch::workloads::square_exp
