// Declaration of the workload `squared_diff`.
#include <cstring>
#include <utility>
#include <vector>

#include "core/workload/host_input.hpp"
#include "plugins/squared_diff/raw_tuned.hpp"
#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {
namespace {

/// Shape in memory of an array (rows, cols).
Shape stored_shape(const Shape& shape, const std::string& layout) {
  if (layout == "transposed") return {shape[1], shape[0]};
  if (layout == "strided") return {shape[0], 2 * shape[1]};
  return shape;
}

Array view_of(const Array& stored, const std::string& layout) {
  if (layout == "transposed") return stored.transpose();
  if (layout == "strided") return stored.slice(1, 0, stored.shape()[1] / 2, 2);
  return stored;
}

/// A copy of a contiguous array (rows, cols) in that layout; gaps are zero.
Array store(const Array& array, const std::string& layout) {
  if (layout == "contiguous") return array;
  const Array stored = Array::on_host(array.dtype(), stored_shape(array.shape(), layout));
  std::memset(stored.data(), 0, stored.bytes());
  const Array view = view_of(stored, layout);
  const std::size_t item = size_of(array.dtype());
  const std::byte* from = array.data();
  for (std::int64_t r = 0; r < array.shape()[0]; ++r)
    for (std::int64_t c = 0; c < array.shape()[1]; ++c, from += item)
      std::memcpy(view.data() + r * view.strides()[0] + c * view.strides()[1], from, item);
  return stored;
}

std::vector<ParameterDeclaration> parameters() {
  std::vector<ParameterDeclaration> all{
      integer_parameter("rows", 1000, 1, 1e9, "number of rows"),
      integer_parameter("cols", 1000, 1, 1e9, "number of columns"),
      choice_parameter("dtype", "float64", {"int32", "float32", "float64"}, "type of the elements"),
      choice_parameter("broadcast", "none", {"none", "row", "column", "scalar"},
                       "what y is: an array like x, or what is repeated to it"),
      choice_parameter("layout", "contiguous", {"contiguous", "transposed", "strided"},
                       "memory layout of x, and of y if it has the same size")};
  for (ParameterDeclaration& parameter : tuning_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

WorkloadInfo SquaredDiff::info() {
  return {
      .name = "squared_diff",
      .version = "1",
      .summary = "squared difference of two arrays, with broadcasting",
      .parameters = parameters(),
      .inputs =
          {{"x", "default: uniform in [-100, 100)", {"rows", "cols"}},
           {"y",
            "shape (rows, cols), (1, cols), (rows, 1) or (1, 1), according to broadcast; default: "
            "likewise"}},
      .outputs = {{"z", "(x - y)^2"}}};
}

double SquaredDiff::device_bytes(const Params& params) {
  return 2.0 * static_cast<double>(params.integer("rows")) *
         static_cast<double>(params.integer("cols")) * static_cast<double>(size_of(params.dtype()));
}

SquaredDiff::SquaredDiff(const Params& params, Inputs& inputs) {
  rows = params.integer("rows");
  cols = params.integer("cols");
  layout = params.text("layout");
  const std::string& broadcast = params.text("broadcast");
  const bool is_row = broadcast == "row" || broadcast == "scalar";
  const bool is_column = broadcast == "column" || broadcast == "scalar";
  const Shape y_shape{is_row ? 1 : rows, is_column ? 1 : cols};
  const auto take = [&](const char* name, const Shape& shape, std::uint64_t seed) {
    return take_uniform(inputs, "squared_diff", name, {params.dtype(), shape}, -100, 100, seed);
  };
  x = store(take("x", {rows, cols}, 1), layout);
  y = take("y", y_shape, 2);
  if (broadcast == "none") y = store(y, layout);
}

Array SquaredDiff::x_view(const Array& stored) const { return view_of(stored, layout); }

Array SquaredDiff::y_view(const Array& stored) const {
  // A broadcast y is stored without gaps, whatever the layout of x.
  const bool is_like_x = stored.size() == x.size() && stored.shape() == x.shape();
  return is_like_x ? view_of(stored, layout) : stored;
}

bool SquaredDiff::is_dense() const { return layout == "contiguous" && y.shape() == x.shape(); }

std::vector<OutputArray> SquaredDiff::outputs() const {
  Tolerance tolerance;
  if (is_floating(x.dtype())) {
    tolerance.rtol = 5 * unit_roundoff(x.dtype());
    tolerance.reason =
        "a difference, whose rounding counts twice, a product, and the rounding of the reference";
  } else {
    tolerance.mode = CompareMode::kExact;
    tolerance.reason = "integers";
  }
  return {{.name = "z",
           .dtype = x.dtype(),
           .shape = {rows, cols},
           .dimensions = {"row", "column"},
           .help = "(x - y)^2",
           .tolerance = tolerance}};
}

Cost SquaredDiff::cost() const {
  const auto count = static_cast<double>(rows) * static_cast<double>(cols);
  const auto item = static_cast<double>(size_of(x.dtype()));
  const auto y_count = static_cast<double>(y_view(y).size());
  return {
      .bytes_read = (count + y_count) * item, .bytes_written = count * item, .flops = 2 * count};
}

}  // namespace kernelbatch::workloads::squared_diff

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::squared_diff::SquaredDiff>,
                   "squared_diff");
