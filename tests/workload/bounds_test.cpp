// Bounds of rounding errors of single elements: large elements must not hide errors of others.
#include <cmath>
#include <limits>
#include <vector>

#include "core/workload/host_input.hpp"
#include "core/workload/sparse_product.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

std::vector<double> values(const Array& array) {
  const auto all = array.as<double>();
  return {all.begin(), all.end()};
}

TEST_CASE("Norms of rows and columns bound the sums of a product") {
  const Array a = Array::from<double>({3, -4, 0, 0, 5, -12}).reshape({3, 2});
  CHECK(values(row_norms(a)) == std::vector<double>{5, 0, 13});
  const std::vector<double> columns = values(column_norms(a));
  CHECK(columns[0] == Approx(std::sqrt(34.0)));
  CHECK(columns[1] == Approx(std::sqrt(160.0)));
  // Neither overflow of squares nor elements that are not finite.
  const double infinite = std::numeric_limits<double>::infinity();
  const Array wide = Array::from<double>({1e200, infinite, std::nan(""), 1e-200}).reshape({2, 2});
  CHECK(values(row_norms(wide)) == std::vector<double>{1e200, 1e-200});
  const Array halves = astype(a, DType::kFloat16);
  CHECK(values(row_norms(halves)) == std::vector<double>{5, 0, 13});
}

struct Product final : SparseProduct {
  Cost cost() const override { return {}; }
};

class ProductInputs final : public Inputs {
 public:
  Array take(std::string_view, const std::function<Array()>&) override {
    return Array::from<double>({1e9, 1, 2});
  }
  CsrMatrix take_sparse(std::string_view, const std::function<CsrMatrix()>&) override {
    CsrMatrix matrix;
    matrix.rows = matrix.columns = 3;
    matrix.indptr = Array::from<int>({0, 2, 4, 4});
    matrix.indices = Array::from<int>({0, 1, 1, 2});
    matrix.data = Array::from<double>({1, -1, 3, -4});
    return matrix;
  }
  std::string data_file(std::string_view) const override { return ""; }
  RandomSource& random() override { return random_; }

 private:
  RandomSource random_;
};

TEST_CASE("Each row of a sparse product has its own bound") {
  ProductInputs inputs;
  Product product;
  product.take(inputs, "test", DType::kFloat64, nullptr);
  const Tolerance tolerance = product.outputs().front().tolerance;
  CHECK(values(tolerance.row_bounds) == std::vector<double>{1e9 + 1, 11, 0});
  const Array want = Array::from<double>({1e9 - 1, -5, 0});
  CHECK(compare(Array::from<double>({1e9 - 1 + 1e-7, -5, 0}), want, tolerance).equal);
  CHECK(compare(Array::from<double>({1e9 - 1, -5 + 1e-7, 0}), want, tolerance).mismatches == 1);
  CHECK(compare(Array::from<double>({1e9 - 1, -5, 1e-300}), want, tolerance).mismatches == 1);
}

}  // namespace
}  // namespace kernelbatch
