#include "core/kernel/loop/loop_plan.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

Array matrix(std::int64_t rows, std::int64_t columns) {
  return Array::on_host(DType::kFloat32, {rows, columns});
}

TEST_CASE("Contiguous arrays of any rank become one axis") {
  const std::vector<Array> arrays{Array::on_host(DType::kFloat32, {2, 3, 4, 5}),
                                  Array::on_host(DType::kInt8, {2, 3, 4, 5})};
  const LoopPlan plan = plan_loop(arrays, {2, 3, 4, 5}, true);
  CHECK(plan.extents == Extents{120});
  CHECK(plan.count == 120);
  CHECK(plan.is_dense(arrays));
  CHECK_FALSE(plan.is_wide());
}

TEST_CASE("Axes merge only if they are contiguous in every array") {
  const std::vector<Array> arrays{matrix(4, 6), matrix(1, 6)};
  const LoopPlan plan = plan_loop(arrays, {4, 6}, true);
  CHECK(plan.extents == Extents{4, 6});
  CHECK(plan.strides[0] == Strides{24, 4});
  CHECK(plan.strides[1] == Strides{0, 4});
  CHECK_FALSE(plan.is_dense(arrays));
}

TEST_CASE("A constant operand does not keep axes apart") {
  const std::vector<Array> arrays{matrix(4, 6), matrix(1, 1)};
  const LoopPlan plan = plan_loop(arrays, {4, 6}, true);
  CHECK(plan.extents == Extents{24});
  CHECK(plan.strides[1] == Strides{0});
  CHECK(plan.is_dense(arrays));
}

TEST_CASE("Axes of length one are removed") {
  const std::vector<Array> arrays{
      Array::on_host(DType::kFloat32, {1, 5, 1, 7, 1}).slice(1, 0, 2, 2)};
  const LoopPlan plan = plan_loop(arrays, {1, 2, 1, 7, 1}, true);
  CHECK(plan.extents == Extents{2, 7});
  CHECK(plan.strides[0] == Strides{56, 4});
}

TEST_CASE("A reversed array merges with itself but is not dense") {
  const Array turned = matrix(4, 6).slice(0, 3, 4, -1).slice(1, 5, 6, -1);
  const std::vector<Array> arrays{turned};
  const LoopPlan plan = plan_loop(arrays, {4, 6}, true);
  CHECK(plan.extents == Extents{24});
  CHECK(plan.strides[0] == Strides{-4});
  CHECK_FALSE(plan.is_dense(arrays));
}

TEST_CASE("Without merging the user's axes stay") {
  const std::vector<Array> arrays{matrix(1, 6)};
  CHECK(plan_loop(arrays, {1, 6}, false).extents == Extents{1, 6});
}

TEST_CASE("A single element is a dense loop of one") {
  const std::vector<Array> arrays{Array::on_host(DType::kFloat64, {}), matrix(1, 1)};
  for (const bool merge : {true, false}) {
    const LoopPlan plan = plan_loop(std::span(arrays).first(1), {}, merge);
    CHECK(plan.extents == Extents{1});
    CHECK(plan.count == 1);
    CHECK(plan.is_dense(std::span(arrays).first(1)));
  }
  CHECK(plan_loop(arrays, {1, 1}, true).is_dense(arrays));
}

TEST_CASE("Counts and offsets that need 64 bits are wide") {
  const Array one = Array::on_host(DType::kFloat32, {1});
  const auto wide = [](const Array& array, const Shape& shape) {
    const std::vector<Array> arrays{array};
    return plan_loop(arrays, shape, true).is_wide();
  };
  const std::int64_t limit = std::int64_t{1} << 30;
  CHECK_FALSE(wide(one, {limit - 1}));
  CHECK(wide(one, {limit}));
  CHECK(wide(one, {std::int64_t{1} << 31}));
  // Few elements, far apart: their memory is never touched here.
  const Array far =
      Array::of_memory(nullptr, DType::kFloat32, {3, limit}).slice(1, 0, 2, limit / 4);
  CHECK(wide(far, {3, 2}));
}

TEST_CASE("Axes in a common order become one dense axis if order is free") {
  const Array base = Array::on_host(DType::kFloat32, {4, 5, 6});
  const std::vector<int> order{1, 2, 0};
  const std::vector<Array> turned{base.transpose(order), base.transpose(order)};
  CHECK_FALSE(plan_loop(turned, {5, 6, 4}, true).is_dense(turned));
  const LoopPlan plan = plan_loop(turned, {5, 6, 4}, true, true);
  CHECK(plan.extents == Extents{120});
  CHECK(plan.is_dense(turned));
}

TEST_CASE("The last array determines the order of axes, the others if it is indifferent") {
  const Array c = Array::on_host(DType::kFloat32, {4, 6});
  const Array f = Array::on_host(DType::kFloat32, {6, 4}).transpose();
  const Array row = Array::on_host(DType::kFloat32, {6}).broadcast_to({4, 6});
  const std::vector<Array> c_last{f, c};
  CHECK(plan_loop(c_last, {4, 6}, true, true).extents == Extents{4, 6});
  const std::vector<Array> f_last{c, f};
  CHECK(plan_loop(f_last, {4, 6}, true, true).extents == Extents{6, 4});
  const std::vector<Array> row_last{f, row};
  CHECK(plan_loop(row_last, {4, 6}, true, true).extents == Extents{6, 4});
}

TEST_CASE("Merging nothing leaves nothing") {
  Extents extents{1, 1};
  std::vector<Strides> strides{{4, 4}};
  merge_axes(extents, strides);
  CHECK(extents.empty());
  CHECK(strides[0].empty());
}

}  // namespace
}  // namespace kernelbatch
