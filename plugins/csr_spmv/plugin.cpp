// What the workload `csr_spmv` declares.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/array/number.hpp"
#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/plugin/host_input.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {
namespace {

/// Of n rows, each with `per_row` entries: anywhere, or side by side around the diagonal.
kernelbatch::CsrMatrix generate(std::int64_t n, std::int64_t per_row, bool is_banded) {
  const std::int64_t count = std::min(n, per_row);
  kernelbatch::CsrMatrix matrix{.rows = n, .columns = n, .indptr = {}, .indices = {}, .data = {}};
  if (n * count > 2'000'000'000)
    throw kernelbatch::SpecError("csr_spmv: n times nnz_per_row is limited to 2e9");
  matrix.data = kernelbatch::random_uniform(kernelbatch::DType::kFloat64, {n * count}, -1, 1, 1);
  matrix.indptr =
      kernelbatch::arange(kernelbatch::DType::kInt32, {n + 1}, 0, static_cast<double>(count));
  matrix.indices = kernelbatch::Array::on_host(kernelbatch::DType::kInt32, {n * count});
  const auto indices = matrix.indices.as<int>();
  // The j-th entry of a row lies somewhere in the j-th of `count` equal parts, so they ascend.
  const auto spread =
      kernelbatch::random_uniform(kernelbatch::DType::kFloat64, {n * count}, 0, 1, 2);
  const auto within = spread.as<double>();
  for (std::int64_t row = 0; row < n; ++row) {
    const std::int64_t first = std::clamp<std::int64_t>(row - count / 2, 0, n - count);
    for (std::int64_t j = 0; j < count; ++j) {
      const auto at = static_cast<std::size_t>(row * count + j);
      const std::int64_t begin = j * n / count, end = (j + 1) * n / count;
      const auto offset = static_cast<std::int64_t>(within[at] * static_cast<double>(end - begin));
      indices[at] = static_cast<int>(is_banded ? first + j : std::min(begin + offset, end - 1));
    }
  }
  return matrix;
}

class CsrSpmvWorkload final : public kernelbatch::Workload {
 public:
  const kernelbatch::WorkloadInfo& info() const override { return info_; }

  double device_bytes(const kernelbatch::Params& params) const override {
    const auto item = static_cast<double>(kernelbatch::size_of(params.dtype()));
    const auto n = static_cast<double>(params.integer("n"));
    return n * static_cast<double>(params.integer("nnz_per_row")) * (item + 4) + 2 * n * item;
  }

  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override {
    auto problem = std::make_unique<CsrSpmv>();
    problem->take(inputs, "csr_spmv", params.dtype(), [&] {
      return generate(params.integer("n"), params.integer("nnz_per_row"),
                      params.text("pattern") == "banded");
    });
    return problem;
  }

 private:
  kernelbatch::WorkloadInfo info_{
      .name = "csr_spmv",
      .version = "1",
      .summary = "sparse matrix in compressed rows times vector",
      .parameters =
          {kernelbatch::integer_parameter("n", 1000, 1, 1e8,
                                          "rows and columns of a generated matrix"),
           kernelbatch::integer_parameter("nnz_per_row", 16, 1, 1e6,
                                          "entries in each row of a generated matrix"),
           kernelbatch::choice_parameter("pattern", "random", {"random", "banded"},
                                         "where the entries of a generated matrix lie"),
           kernelbatch::choice_parameter("dtype", "float64", {"float32", "float64"},
                                         "type of the elements and of the sums"),
           kernelbatch::tuning_parameter(kernelbatch::choice_parameter(
               "lanes", "auto", {"auto", "1", "2", "4", "8", "16", "32"},
               "threads for each row in the raw variant; auto: by the rows' mean length"))},
      .inputs = {{"A", "a sparse Matrix Market file; default: generated"},
                 {"x", "shape (columns,); default: uniform in [-1, 1)"}},
      .outputs = {{"y", "A x"}},
      .variants = {{"reference", kernelbatch::VariantKind::kReference,
                    "long double sums on all cores", reference},
                   {"elementwise", kernelbatch::VariantKind::kElementwise,
                    "each element sums a row; the matrix as raw arrays", elementwise},
                   {"reduction", kernelbatch::VariantKind::kReduction,
                    "segmented: over as many places as the longest row has", reduction},
                   {"jit", kernelbatch::VariantKind::kJit, "one thread for each row", jit},
                   {"raw", kernelbatch::VariantKind::kRaw,
                    "as many threads for each row as it has entries, up to a warp", raw},
                   {"library", kernelbatch::VariantKind::kLibrary, "cuSPARSE", library}}};
};

}  // namespace

kernelbatch::Cost CsrSpmv::cost() const {
  const auto item = static_cast<double>(kernelbatch::size_of(x.dtype()));
  const auto entries = static_cast<double>(matrix.data.size()),
             rows = static_cast<double>(matrix.rows);
  return {
      .bytes_read = entries * (item + 4) + (rows + 1) * 4 + static_cast<double>(x.size()) * item,
      .bytes_written = rows * item,
      .flops = 2 * entries};
}

}  // namespace csr_spmv

KERNELBATCH_PLUGIN(csr_spmv::CsrSpmvWorkload, "csr_spmv");
