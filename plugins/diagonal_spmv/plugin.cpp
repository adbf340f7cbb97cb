// Declaration of the workload `diagonal_spmv`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include "core/array/number.hpp"
#include "core/base/error.hpp"
#include "core/workload/host_input.hpp"
#include "core/workload/launch.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {
namespace {

std::set<std::int64_t> read_offsets(const std::string& text, std::int64_t n) {
  std::istringstream stream(text);
  std::set<std::int64_t> offsets;
  for (std::int64_t offset; stream >> offset;)
    // Offsets outside a small matrix are skipped.
    if (std::abs(offset) < n) offsets.insert(offset);
  if (!stream.eof())
    throw SpecError(fmt::format(
        "diagonal_spmv: offsets are whole numbers with blanks between, as \"-1 0 1\", not \"{}\"",
        text));
  return offsets;
}

CsrMatrix generate(RandomSource& random, std::int64_t n, const std::set<std::int64_t>& offsets) {
  std::vector<int> indptr{0}, indices;
  for (std::int64_t row = 0; row < n; ++row) {
    for (const std::int64_t offset : offsets)
      if (row + offset >= 0 && row + offset < n) indices.push_back(static_cast<int>(row + offset));
    indptr.push_back(static_cast<int>(indices.size()));
  }
  const auto count = static_cast<std::int64_t>(indices.size());
  return {.rows = n,
          .columns = n,
          .indptr = Array::from(indptr),
          .indices = Array::from(indices),
          .data = random.uniform(DType::kFloat64, {count}, -1, 1, 1)};
}

/// Removes explicit zeros: storage by diagonals cannot distinguish them from missing entries.
CsrMatrix without_zeros(const CsrMatrix& matrix) {
  const auto indptr = matrix.indptr.as<int>();
  const auto indices = matrix.indices.as<int>();
  std::vector<int> new_indptr{0}, new_indices;
  CsrMatrix result = matrix;
  dispatch_among<float, double>(matrix.data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto data = matrix.data.as<T>();
    std::vector<T> new_data;
    for (std::size_t row = 0; row + 1 < indptr.size(); ++row) {
      for (auto k = static_cast<std::size_t>(indptr[row]);
           k < static_cast<std::size_t>(indptr[row + 1]); ++k) {
        if (data[k] == zero) continue;
        new_indices.push_back(indices[k]);
        new_data.push_back(data[k]);
      }
      new_indptr.push_back(static_cast<int>(new_indices.size()));
    }
    result.data = Array::from(new_data);
  });
  result.indptr = Array::from(new_indptr);
  result.indices = Array::from(new_indices);
  return result;
}

/// Fills offsets and diagonals from the matrix.
void store_by_diagonals(DiagonalSpmv& problem) {
  const CsrMatrix& matrix = problem.matrix;
  const auto indptr = matrix.indptr.as<int>();
  const auto indices = matrix.indices.as<int>();
  std::set<std::int64_t> found;
  const auto each_entry = [&](const auto& visit) {
    for (std::int64_t row = 0; row < matrix.rows; ++row)
      for (int k = indptr[static_cast<std::size_t>(row)];
           k < indptr[static_cast<std::size_t>(row) + 1]; ++k)
        visit(row, static_cast<std::size_t>(k), indices[static_cast<std::size_t>(k)] - row);
  };
  each_entry([&](std::int64_t, std::size_t, std::int64_t offset) { found.insert(offset); });
  if (found.empty()) found.insert(0);
  const std::vector<std::int64_t> offsets(found.begin(), found.end());
  const auto count = static_cast<std::int64_t>(offsets.size());
  problem.offsets = Array::from(offsets);
  problem.diagonals = Array::on_host(matrix.data.dtype(), {count, matrix.rows});
  dispatch_among<float, double>(matrix.data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto data = matrix.data.as<T>();
    const auto to = problem.diagonals.as<T>();
    std::fill(to.begin(), to.end(), T{0});
    each_entry([&](std::int64_t row, std::size_t entry, std::int64_t offset) {
      const auto d = std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin();
      to[static_cast<std::size_t>(d * matrix.rows + row)] = data[entry];
    });
  });
}

}  // namespace

WorkloadInfo DiagonalSpmv::info() {
  return {
      .name = "diagonal_spmv",
      .version = "1",
      .summary = "sparse matrix stored by diagonals times vector",
      .parameters = {integer_parameter("n", 100'000, 1, 1e8,
                                       "rows and columns of a generated matrix"),
                     ParameterDeclaration{
                         .name = "offsets",
                         .type = ParameterType::kText,
                         .default_value = std::string("-100 -1 0 1 100"),
                         .help =
                             "diagonals of a generated matrix: column - row, with blanks between",
                         .minimum = {},
                         .maximum = {},
                         .choices = {}},
                     choice_parameter("dtype", "float64", {"float32", "float64"},
                                      "type of the elements and of the sums"),
                     block_parameter(256), items_per_thread_parameter(1)},
      .inputs = {{"A", "a sparse Matrix Market file, stored by diagonals here; default: generated"},
                 {"x", "shape (columns,); default: uniform in [-1, 1)"}},
      .outputs = {{"y", "A x"}}};
}

double DiagonalSpmv::device_bytes(const Params& params) { return bytes_of_vectors(params, 5); }

DiagonalSpmv::DiagonalSpmv(const Params& params, Inputs& inputs) {
  const std::int64_t n = params.integer("n");
  take(inputs, "diagonal_spmv", params.dtype(),
       [&] { return generate(inputs.random(), n, read_offsets(params.text("offsets"), n)); });
  matrix = without_zeros(matrix);
  store_by_diagonals(*this);
}

Cost DiagonalSpmv::cost() const {
  const auto item = static_cast<double>(size_of(x.dtype()));
  const auto rows = static_cast<double>(matrix.rows);
  return {.bytes_read = static_cast<double>(diagonals.size() + x.size()) * item,
          .bytes_written = rows * item,
          .flops = 2 * static_cast<double>(matrix.data.size())};
}

}  // namespace kernelbatch::workloads::diagonal_spmv

KERNELBATCH_PLUGIN(
    kernelbatch::DeclaredWorkload<kernelbatch::workloads::diagonal_spmv::DiagonalSpmv>,
    "diagonal_spmv");
