// Declaration of the workload `overlap`.
#include "core/workload/host_input.hpp"
#include "plugins/overlap/overlap.hpp"

namespace kernelbatch::workloads::overlap {

WorkloadInfo Overlap::info() {
  return {
      .name = "overlap",
      .version = "1",
      .summary = "two independent pieces of work on one or two streams",
      .parameters = {integer_parameter("rows", 2000, 1, 1e8, "rows of p"),
                     integer_parameter("cols", 1000, 1, 1e8, "columns of p"),
                     integer_parameter("m", 256, 1, 1e5, "rows and columns of a and b"),
                     choice_parameter("dtype", "float64", {"float32", "float64"},
                                      "type of the elements and of the sums")},
      .inputs = {{"p", "default: uniform in [-1, 1)", {"rows", "cols"}},
                 {"a", "default: likewise", {"m", "m"}},
                 {"b", "default: likewise", {"m", "m"}}},
      .outputs = {{"squares", "sum of the squares of each row of p"}, {"product", "a times b"}}};
}

double Overlap::device_bytes(const Params& params) {
  const auto rows = static_cast<double>(params.integer("rows")),
             m = static_cast<double>(params.integer("m"));
  return (rows * static_cast<double>(params.integer("cols")) + 3 * m * m) *
         static_cast<double>(size_of(params.dtype()));
}

Overlap::Overlap(const Params& params, Inputs& inputs) {
  const auto take = [&](const char* name, const char* rows, const char* cols, std::uint64_t seed) {
    const ArrayForm form{params.dtype(), {params.integer(rows), params.integer(cols)}};
    return take_uniform(inputs, "overlap", name, form, -1, 1, seed);
  };
  p = take("p", "rows", "cols", 1);
  a = take("a", "m", "m", 2);
  b = take("b", "m", "m", 3);
  row_norms = kernelbatch::row_norms(a);
  column_norms = kernelbatch::column_norms(b);
}

std::vector<OutputArray> Overlap::outputs() const {
  Tolerance sum;
  sum.mode = CompareMode::kReduction;
  sum.terms = static_cast<double>(cols()) + 4;
  sum.reason = "rounding bound of a sum of squares in any order";
  Tolerance product;
  product.mode = CompareMode::kReduction;
  product.terms = static_cast<double>(m()) + 4;
  product.row_bounds = row_norms;
  product.column_bounds = column_norms;
  product.reason =
      "rounding bound of a sum of m products in any order, relative to the norm of the row times "
      "that of the column";
  return {{.name = "squares",
           .dtype = p.dtype(),
           .shape = {rows()},
           .dimensions = {"row"},
           .help = "sum of the squares of each row of p",
           .tolerance = sum},
          {.name = "product",
           .dtype = p.dtype(),
           .shape = {m(), m()},
           .dimensions = {"a_row", "b_column"},
           .help = "a times b",
           .tolerance = product}};
}

Cost Overlap::cost() const {
  const auto item = static_cast<double>(size_of(p.dtype()));
  const auto elements = static_cast<double>(p.size()), extent = static_cast<double>(m());
  return {.bytes_read = (elements + 2 * extent * extent) * item,
          .bytes_written = (static_cast<double>(rows()) + extent * extent) * item,
          .flops = 2 * elements + 2 * extent * extent * extent};
}

}  // namespace kernelbatch::workloads::overlap

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::overlap::Overlap>,
                   "overlap");
