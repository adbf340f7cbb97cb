// Declaration of the workload `wave2d`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/array/input.hpp"
#include "core/array/number.hpp"
#include "core/base/error.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/wave2d/raw_step.hpp"
#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {
namespace {

/// Squares of Courant numbers from a model of heights, which is repeated to fill the grid: the
/// speed ranges from half to all of the stable limit in two dimensions (0.7 cells per step).
Array squares_of_speed(const Array& model, const ArrayForm& form) {
  const Array heights = astype(model, DType::kFloat64);
  const auto from = heights.as<double>();
  const auto [low, high] = std::minmax_element(from.begin(), from.end());
  const double range = std::max(*high - *low, 1e-300);
  const Array squares = Array::on_host(DType::kFloat64, form.shape);
  const auto to = squares.as<double>();
  const std::int64_t cols = form.shape[1];
  for (std::int64_t k = 0; k < squares.size(); ++k) {
    const std::int64_t row = k / cols % model.shape()[0], column = k % cols % model.shape()[1];
    const double height = from[static_cast<std::size_t>(row * model.shape()[1] + column)];
    const double speed = 0.35 + 0.35 * (height - *low) / range;
    to[static_cast<std::size_t>(k)] = speed * speed;
  }
  return astype(squares, form.dtype);
}

/// A bell curve in the middle, a few cells wide.
Array bell(const ArrayForm& form) {
  const Array field = Array::on_host(DType::kFloat64, form.shape);
  const auto to = field.as<double>();
  const std::int64_t cols = form.shape[1];
  for (std::int64_t k = 0; k < field.size(); ++k) {
    const auto y = static_cast<double>(k / cols - form.shape[0] / 2);
    const auto x = static_cast<double>(k % cols - cols / 2);
    to[static_cast<std::size_t>(k)] = std::exp(-(x * x + y * y) / 32);
  }
  return astype(field, form.dtype);
}

std::vector<ParameterDeclaration> parameters() {
  std::vector<ParameterDeclaration> all{
      integer_parameter("rows", 344, 1, 1e6, "rows of the grid"),
      integer_parameter("cols", 403, 1, 1e6, "columns of the grid"),
      integer_parameter("steps", 100, 1, 1e6, "steps in time"),
      choice_parameter("dtype", "float32", {"float32", "float64"}, "type of the field"),
      block_parameter(256),
      items_per_thread_parameter(1)};
  for (ParameterDeclaration& parameter : tuning_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

WorkloadInfo Wave2D::info() {
  return {
      .name = "wave2d",
      .version = "1",
      .summary = "2-D acoustic wave by finite differences, many steps",
      .parameters = parameters(),
      .inputs = {{"model",
                  "shape (rows, columns), repeated to fill the grid: what is higher is faster; "
                  "default: the Jacksboro fault"},
                 {"start", "the field at rest; default: a bell in the middle", {"rows", "cols"}}},
      .outputs = {{"field", "the wave after the last step"}}};
}

double Wave2D::device_bytes(const Params& params) {
  return 5.0 * static_cast<double>(params.integer("rows")) *
         static_cast<double>(params.integer("cols")) * static_cast<double>(size_of(params.dtype()));
}

Wave2D::Wave2D(const Params& params, Inputs& inputs) {
  const ArrayForm form{params.dtype(), {params.integer("rows"), params.integer("cols")}};
  const Array model = inputs.take(
      "model", [&] { return read_npy(inputs.data_file("inputs/jacksboro_fault_dem.npy")); });
  if (model.axes() != 2 || model.size() == 0)
    throw SpecError("wave2d: input model must have shape (rows, columns)");
  q = squares_of_speed(model, form);
  start = take_array(inputs, "wave2d", "start", form, [&] { return bell(form); });
  steps = params.integer("steps");
  largest = largest_modulus(start);
}

std::vector<OutputArray> Wave2D::outputs() const {
  Tolerance tolerance;
  tolerance.atol =
      8 * unit_roundoff(q.dtype()) * static_cast<double>(steps) * std::max(largest, 1e-30);
  tolerance.rtol = 0;
  tolerance.reason =
      "eight roundings in each step; the scheme is stable, and roundings of different cells and "
      "steps have both signs, so that their sum stays below that of their sizes";
  return {{.name = "field",
           .dtype = q.dtype(),
           .shape = q.shape(),
           .dimensions = {"y", "x"},
           .help = "the wave after the last step",
           .tolerance = tolerance}};
}

Cost Wave2D::cost() const {
  const auto item = static_cast<double>(size_of(q.dtype()));
  const auto cells = static_cast<double>(q.size()) * static_cast<double>(steps);
  return {.bytes_read = 3 * cells * item, .bytes_written = cells * item, .flops = 9 * cells};
}

}  // namespace kernelbatch::workloads::wave2d

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::wave2d::Wave2D>, "wave2d");
