// Tiles of a plane with a GPU's schedules, run thread by thread on the host.
#include <cstring>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/elementwise/policy.hpp"
#include "tests/kernel/random_definition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/scheduled_device.hpp"

namespace kernelbatch {
namespace {

using namespace test;

bool has_planes(const ElementwiseDefinition& definition, const Shape& shape,
                const std::vector<Argument>& arguments, const Device& device) {
  CallArguments call = resolve_arguments(definition.name, definition.in, definition.out, arguments);
  return plan_elementwise(definition, std::move(call.types), shape, arguments, device.properties())
      .is<PlaneLoop>();
}

TEST_CASE("Tiles of a plane are right for rows that begin anywhere, words and several outputs") {
  Stream& stream = make_lasting_stream(small_h200_properties());
  const auto numbered = [](DType dtype, const Shape& shape) {
    Array array = Array::on_host(dtype, shape);
    for (std::int64_t k = 0; k < array.size(); ++k)
      write_number(std::int64_t{k % 1009}, dtype,
                   array.data() + static_cast<std::size_t>(k) * size_of(dtype));
    return array;
  };
  const ElementwiseDefinition both{"T x, T y", "T a, T b", "a = x - y; b = x + y", "both", {}};
  const ElementwiseKernel kernel{both};
  for (const DType dtype : {DType::kInt16, DType::kInt32})
    // The number of rows is that of words and tiles, of words only, and of neither.
    for (const int rows : {128, 190, 187})
      for (const int start : {0, 1, 3}) {
        INFO(name_of(dtype) << ", " << rows << " rows, start " << start);
        const Array x = numbered(dtype, Shape{5, 57, rows}), y = numbered(dtype, Shape{57, 5});
        const std::int64_t item = static_cast<std::int64_t>(size_of(dtype)), row = 57 * 5 * item;
        const Array base = to_device(numbered(dtype, Shape{2, rows * 57 * 5 + 8}), stream);
        const auto output = [&](int k) {
          return base.with_layout(base.data() + (k * (rows * 57 * 5 + 8) + start) * item,
                                  Shape{rows, 57, 5}, Strides{row, 5 * item, item});
        };
        const Array x_there = to_device(x, stream).transpose(std::vector<int>{2, 1, 0});
        const Array y_there = to_device(y, stream), a = output(0), b = output(1);
        const std::vector<Argument> arguments = {x_there, y_there, a, b};
        CHECK(has_planes(both, Shape{rows, 57, 5}, arguments, stream.device()));
        kernel.call(stream, arguments);
        const Array got = to_host(base, stream);
        const auto at = [&](const Array& array, std::int64_t k) {
          std::int64_t value = 0;
          std::memcpy(&value, array.data() + k * item, static_cast<std::size_t>(item));
          return item == 2   ? static_cast<std::int16_t>(value)
                 : item == 4 ? static_cast<std::int32_t>(value)
                             : value;
        };
        int wrong = 0;
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < 57 * 5; ++c) {
            const std::int64_t one = at(x, (c % 5 * 57 + c / 5) * rows + r), two = at(y, c);
            wrong += at(got, start + r * 285 + c) != one - two;
            wrong += at(got, rows * 285 + 8 + start + r * 285 + c) != one + two;
          }
        CHECK(wrong == 0);
        // Elements behind the outputs keep their values.
        for (int k = start + rows * 285; k < rows * 285 + 8; ++k) CHECK(at(got, k) == k % 1009);
      }
}

}  // namespace
}  // namespace kernelbatch
