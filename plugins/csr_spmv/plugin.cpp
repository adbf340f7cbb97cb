// Declaration of the workload `csr_spmv`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/array/number.hpp"
#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"
#include "plugins/csr_spmv/tuning.hpp"

namespace kernelbatch::workloads::csr_spmv {
namespace {

/// A matrix of n rows with `per_row` entries each: spread over the row, or next to each other
/// around the diagonal.
CsrMatrix generate(RandomSource& random, std::int64_t n, std::int64_t per_row, bool is_banded) {
  const std::int64_t count = std::min(n, per_row);
  CsrMatrix matrix{.rows = n, .columns = n, .indptr = {}, .indices = {}, .data = {}};
  if (n * count > 2'000'000'000) throw SpecError("csr_spmv: n times nnz_per_row is limited to 2e9");
  matrix.data = random.uniform(DType::kFloat64, {n * count}, -1, 1, 1);
  matrix.indptr = arange(DType::kInt32, {n + 1}, 0, static_cast<double>(count));
  matrix.indices = Array::on_host(DType::kInt32, {n * count});
  const auto indices = matrix.indices.as<int>();
  // The j-th entry of a row is in the j-th of `count` equal parts, so columns ascend.
  const auto spread = random.uniform(DType::kFloat64, {n * count}, 0, 1, 2);
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

std::vector<ParameterDeclaration> parameters() {
  std::vector<ParameterDeclaration> all{
      integer_parameter("n", 1000, 1, 1e8, "rows and columns of a generated matrix"),
      integer_parameter("nnz_per_row", 16, 1, 1e6, "entries in each row of a generated matrix"),
      choice_parameter("pattern", "random", {"random", "banded"},
                       "where the entries of a generated matrix lie"),
      choice_parameter("dtype", "float64", {"float32", "float64"},
                       "type of the elements and of the sums")};
  for (ParameterDeclaration& parameter : tuning_parameters()) all.push_back(std::move(parameter));
  return all;
}

}  // namespace

WorkloadInfo CsrSpmv::info() {
  return {.name = "csr_spmv",
          .version = "1",
          .summary = "sparse matrix in compressed rows times vector",
          .parameters = parameters(),
          .inputs = {{"A", "a sparse Matrix Market file; default: generated"},
                     {"x", "shape (columns,); default: uniform in [-1, 1)"}},
          .outputs = {{"y", "A x"}}};
}

double CsrSpmv::device_bytes(const Params& params) {
  const auto item = static_cast<double>(size_of(params.dtype()));
  const auto n = static_cast<double>(params.integer("n"));
  return n * static_cast<double>(params.integer("nnz_per_row")) * (item + 4) + 2 * n * item;
}

CsrSpmv::CsrSpmv(const Params& params, Inputs& inputs) {
  take(inputs, "csr_spmv", params.dtype(), [&] {
    return generate(inputs.random(), params.integer("n"), params.integer("nnz_per_row"),
                    params.text("pattern") == "banded");
  });
}

Cost CsrSpmv::cost() const {
  const auto item = static_cast<double>(size_of(x.dtype()));
  const auto entries = static_cast<double>(matrix.data.size()),
             rows = static_cast<double>(matrix.rows);
  return {
      .bytes_read = entries * (item + 4) + (rows + 1) * 4 + static_cast<double>(x.size()) * item,
      .bytes_written = rows * item,
      .flops = 2 * entries};
}

}  // namespace kernelbatch::workloads::csr_spmv

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::csr_spmv::CsrSpmv>,
                   "csr_spmv");
