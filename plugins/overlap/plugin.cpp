// What the workload `overlap` declares.
#include "core/array/random.hpp"
#include "core/plugin/host_input.hpp"
#include "plugins/overlap/overlap.hpp"

namespace overlap {
namespace {

class OverlapWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    const auto rows = static_cast<double>(params.integer("rows")),
               m = static_cast<double>(params.integer("m"));
    return (rows * static_cast<double>(params.integer("cols")) + 3 * m * m) *
           static_cast<double>(kernelbatch::size_of(params.dtype()));
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    auto problem = std::make_unique<Overlap>();
    const auto take = [&](const char* name, const char* rows, const char* cols,
                          std::uint64_t seed) {
      const kernelbatch::ArrayForm form{params.dtype(),
                                        {params.integer(rows), params.integer(cols)}};
      return kernelbatch::take_array(inputs, "overlap", name, form, [&] {
        return kernelbatch::random_uniform(form.dtype, form.shape, -1, 1, seed);
      });
    };
    problem->p = take("p", "rows", "cols", 1);
    problem->a = take("a", "m", "m", 2);
    problem->b = take("b", "m", "m", 3);
    problem->largest_a = kernelbatch::largest_modulus(problem->a);
    problem->largest_b = kernelbatch::largest_modulus(problem->b);
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "overlap",
      .version = "1",
      .summary = "two independent pieces of work on one or two streams",
      .parameters = {kernelbatch::integer_parameter("rows", 2000, 1, 1e8, "rows of p"),
                     kernelbatch::integer_parameter("cols", 1000, 1, 1e8, "columns of p"),
                     kernelbatch::integer_parameter("m", 256, 1, 1e5,
                                                    "rows and columns of a and b"),
                     kernelbatch::choice_parameter("dtype", "float64", {"float32", "float64"},
                                                   "type of the elements and of the sums")},
      .inputs = {{"p", "shape (rows, cols); default: uniform in [-1, 1)"},
                 {"a", "shape (m, m); default: likewise"},
                 {"b", "shape (m, m); default: likewise"}},
      .outputs = {{"squares", "sum of the squares of each row of p"}, {"product", "a times b"}},
      .variants = {
          {"reference", kernelbatch::VariantKind::kReference,
           "one after the other in a wider type on all cores", reference},
          {"elementwise", kernelbatch::VariantKind::kElementwise,
           "an element for each row, then one for each element of the product", elementwise},
          {"reduction", kernelbatch::VariantKind::kReduction, "both as reductions along an axis",
           reduction},
          {"jit", kernelbatch::VariantKind::kJit,
           "a block for each row, then tiles in shared memory", jit},
          {"raw", kernelbatch::VariantKind::kRaw, "one launch, whose blocks share both pieces",
           raw},
          {"one_stream", kernelbatch::VariantKind::kRaw, "two launches, one after the other",
           one_stream},
          {"two_streams", kernelbatch::VariantKind::kRaw,
           "two launches side by side, joined by events", two_streams}}};
};

}  // namespace

std::vector<kernelbatch::OutputArray> Overlap::outputs() const {
  kernelbatch::Tolerance sum;
  sum.mode = kernelbatch::CompareMode::kReduction;
  sum.terms = static_cast<double>(cols()) + 4;
  sum.reason = "rounding bound of a sum of squares in any order";
  kernelbatch::Tolerance product;
  product.mode = kernelbatch::CompareMode::kReduction;
  product.terms = static_cast<double>(m()) + 4;
  product.absolute_sum = static_cast<double>(m()) * largest_a * largest_b;
  product.reason =
      "rounding bound of a sum of m products in any order, relative to m times the largest |a b|";
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

kernelbatch::Cost Overlap::cost() const {
  const auto item = static_cast<double>(kernelbatch::size_of(p.dtype()));
  const auto elements = static_cast<double>(p.size()), extent = static_cast<double>(m());
  return {.bytes_read = (elements + 2 * extent * extent) * item,
          .bytes_written = (static_cast<double>(rows()) + extent * extent) * item,
          .flops = 2 * elements + 2 * extent * extent * extent};
}

}  // namespace overlap

KERNELBATCH_PLUGIN(overlap::OverlapWorkload, "overlap");
