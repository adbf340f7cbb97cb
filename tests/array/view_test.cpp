// Views as written in jobs.
#include "core/array/view.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

/// 0, 1, 2, … in the shape.
Array counting(const Shape& shape) {
  Array array = Array::on_host(DType::kInt32, shape);
  for (std::int64_t k = 0; k < array.size(); ++k)
    array.as<std::int32_t>()[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k);
  return array;
}
std::vector<int> elements(const Array& view) {
  const Array flat = contiguous(view);
  return {flat.as<std::int32_t>().begin(), flat.as<std::int32_t>().end()};
}
std::string view_error(const Array& array, const std::string& text) {
  return test::message_of([&] { slice_view(array, text); });
}

TEST_CASE("A slice selects the same as NumPy's") {
  const Array x = counting({3, 4});
  CHECK(elements(slice_view(x, "[::-1, 1:3]")) == std::vector<int>{9, 10, 5, 6, 1, 2});
  CHECK(elements(slice_view(x, "1")) == std::vector<int>{4, 5, 6, 7});
  CHECK(slice_view(x, "1").shape() == Shape{4});
  CHECK(elements(slice_view(x, "..., -1")) == std::vector<int>{3, 7, 11});
  CHECK(elements(slice_view(x, "-100:100, ::3")) == std::vector<int>{0, 3, 4, 7, 8, 11});
  CHECK(elements(slice_view(x, "[0, 3:0:-2]")) == std::vector<int>{3, 1});
  CHECK(slice_view(x, "[:, None, 2]").shape() == Shape{3, 1});
  CHECK(slice_view(x, "5:").shape() == Shape{0, 4});
  CHECK(slice_view(x, "[2, 1]").shape() == Shape{});
  CHECK(elements(slice_view(x, "[2, 1]")) == std::vector<int>{9});
}

TEST_CASE("An invalid slice is refused with its text") {
  const Array x = counting({3, 4});
  CHECK(view_error(x, "[a]") == "slice '[a]': 'a' is not an integer");
  CHECK(view_error(x, "[0, 0, 0]") == "slice '[0, 0, 0]': 3 indices for an array of 2 axes");
  CHECK(view_error(x, "[3]") == "slice '[3]': index 3 is out of range for an axis of 3");
  CHECK(view_error(x, "::0") == "slice '::0': a step of 0");
  CHECK(view_error(x, "[1") == "slice '[1': brackets do not match");
  CHECK(view_error(x, "..., ...") == "slice '..., ...': '...' may occur only once");
  CHECK(view_error(x, "1:2:3:4") == "slice '1:2:3:4': '1:2:3:4' has more than two colons");
}

TEST_CASE("Steps are taken in order") {
  const Array x = counting({2, 3});
  const ViewStep steps[] = {{ViewStep::Kind::kTranspose, {}, {}},
                            {ViewStep::Kind::kSlice, "[1:]", {}},
                            {ViewStep::Kind::kBroadcast, {}, {2, 2, 2}}};
  const Array view = view_of(x, steps);
  CHECK(view.shape() == Shape{2, 2, 2});
  CHECK(elements(view) == std::vector<int>{1, 4, 2, 5, 1, 4, 2, 5});
}

TEST_CASE("A view can be transferred to a copy of its memory") {
  const Array x = counting({3, 4});
  const Array view = slice_view(x, "[::-1, ::2]");
  Array copy = counting({3, 4});
  copy.as<std::int32_t>()[8] = 100;
  CHECK(elements(same_view(view, x, copy)) == std::vector<int>{100, 10, 4, 6, 0, 2});
}

}  // namespace
}  // namespace kernelbatch
