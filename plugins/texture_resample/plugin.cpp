// Declaration of the workload `texture_resample`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/array/input.hpp"
#include "core/array/number.hpp"
#include "core/base/error.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {
namespace {

/// The centres of `count` equal parts of 0…extent, shifted a little so that none is on the border
/// of two cells, where a texture may use either.
Array coordinates(std::int64_t count, std::int64_t extent, const Shape& shape) {
  const Array all = Array::on_host(DType::kFloat32, shape);
  const auto values = all.as<float>();
  for (std::int64_t k = 0; k < count; ++k)
    values[static_cast<std::size_t>(k)] = static_cast<float>(
        (static_cast<double>(k) + 0.47) * static_cast<double>(extent) / static_cast<double>(count));
  return all;
}

double finite(double value) { return std::isfinite(value) ? value : 0; }

/// Textures blend with fractions in steps of 1/256, one for each axis: the error is at most two
/// steps of the differences between the blended cells, plus a dozen float32 roundings. Cells up to
/// 1/64 further away count, because coordinates are rounded as well.
Array bounds_of_texture(const Array& grid, const Array& x, const Array& y) {
  constexpr double kSteps = 2.0 / 256, kBeyond = 1.0 / 64;
  const double rounding = 12 * unit_roundoff(DType::kFloat32);
  const auto cells = grid.as<float>();
  const std::int64_t rows = grid.shape()[0], columns = grid.shape()[1];
  struct Range {
    std::int64_t first, last;
  };
  const auto blended = [](float at, std::int64_t count) {
    const auto cell = [&](double place) {
      return static_cast<std::int64_t>(
          std::clamp(std::floor(place), 0.0, static_cast<double>(count - 1)));
    };
    const double place = static_cast<double>(at) - 0.5;
    return Range{cell(place - kBeyond), cell(place + kBeyond + 1)};
  };
  std::vector<Range> of_columns;
  for (const float at : x.as<float>()) of_columns.push_back(blended(at, columns));
  Array bounds = Array::on_host(DType::kFloat64, {x.size() * y.size()});
  double* to = bounds.as<double>().data();
  for (const float at : y.as<float>()) {
    const Range row = blended(at, rows);
    for (const Range& column : of_columns) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (std::int64_t r = row.first; r <= row.last; ++r)
        for (std::int64_t c = column.first; c <= column.last; ++c) {
          const double cell =
              finite(static_cast<double>(cells[static_cast<std::size_t>(r * columns + c)]));
          low = std::min(low, cell);
          high = std::max(high, cell);
        }
      *to++ = kSteps * (high - low) + rounding * std::max(std::abs(low), std::abs(high));
    }
  }
  return bounds;
}

}  // namespace

WorkloadInfo TextureResample::info() {
  return {.name = "texture_resample",
          .version = "1",
          .summary = "a grid sampled at new coordinates, point or bilinear",
          .parameters = {integer_parameter("out_rows", 1000, 1, 1e5, "rows of the result"),
                         integer_parameter("out_cols", 1000, 1, 1e5, "columns of the result"),
                         choice_parameter("filter", "linear", {"point", "linear"},
                                          "the nearest cell, or four blended"),
                         block_parameter(256), items_per_thread_parameter(1)},
          .inputs = {{"grid", "shape (rows, columns); default: heights of the Jacksboro fault"},
                     {"x", "in cells; default: evenly over the grid", {"1", "out_cols"}, "float32"},
                     {"y", "in cells; default: likewise", {"out_rows", "1"}, "float32"}},
          .outputs = {{"sampled", "the grid at the new coordinates"}}};
}

double TextureResample::device_bytes(const Params& params) {
  return 4.0 * static_cast<double>(params.integer("out_rows")) *
         static_cast<double>(params.integer("out_cols"));
}

TextureResample::TextureResample(const Params& params, Inputs& inputs) {
  const Array model = inputs.take(
      "grid", [&] { return read_npy(inputs.data_file("inputs/jacksboro_fault_dem.npy")); });
  if (model.axes() != 2 || model.size() == 0)
    throw SpecError("texture_resample: input grid must have shape (rows, columns)");
  grid = astype(model, DType::kFloat32);
  largest = largest_modulus(grid);
  const std::int64_t rows = params.integer("out_rows"), cols = params.integer("out_cols");
  x = take_array(inputs, "texture_resample", "x", {DType::kFloat32, {1, cols}}, [&] {
    return coordinates(cols, grid.shape()[1], {1, cols});
  });
  y = take_array(inputs, "texture_resample", "y", {DType::kFloat32, {rows, 1}}, [&] {
    return coordinates(rows, grid.shape()[0], {rows, 1});
  });
  is_linear = params.text("filter") == "linear";
  if (is_linear) texture_bounds = bounds_of_texture(grid, x, y);
}

std::vector<OutputArray> TextureResample::outputs() const {
  Tolerance tolerance;
  if (is_linear) {
    tolerance.atol = 12 * unit_roundoff(DType::kFloat32) * largest;
    tolerance.reason = "a dozen float32 roundings of numbers up to the largest of the grid";
  } else {
    tolerance.mode = CompareMode::kExact;
    tolerance.reason = "a cell is copied";
  }
  return {{.name = "sampled",
           .dtype = DType::kFloat32,
           .shape = {y.size(), x.size()},
           .dimensions = {"y", "x"},
           .help = "the grid at the new coordinates",
           .tolerance = tolerance}};
}

std::vector<OutputArray> TextureResample::outputs_of(std::string_view variant) const {
  std::vector<OutputArray> all = outputs();
  if (is_linear && (variant == "texture" || variant == "texture_raw" || variant == "surface")) {
    all[0].tolerance.atol = 0;
    all[0].tolerance.row_bounds = texture_bounds;
    all[0].tolerance.reason =
        "textures blend with fractions of 8 bits: two steps of the differences between the cells";
  }
  return all;
}

Cost TextureResample::cost() const {
  const auto samples = static_cast<double>(x.size()) * static_cast<double>(y.size());
  return {.bytes_read = 4 * static_cast<double>(grid.size() + x.size() + y.size()),
          .bytes_written = 4 * samples,
          .flops = (is_linear ? 12 : 0) * samples};
}

}  // namespace kernelbatch::workloads::texture_resample

KERNELBATCH_PLUGIN(
    kernelbatch::DeclaredWorkload<kernelbatch::workloads::texture_resample::TextureResample>,
    "texture_resample");
