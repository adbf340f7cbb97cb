#include "core/case/shared_arrays.hpp"

#include "core/base/error.hpp"
#include "tests/case/small_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device;
using test::stream;
using test::values_of;

TEST_CASE("Returned host memory is reused only for the same form") {
  SharedArrays shared(test::check_kernels(), {});
  Array first = shared.take(DType::kFloat32, {10, 2});
  CHECK(first.device() == nullptr);
  CHECK(first.shape() == Shape{10, 2});
  const std::byte* const memory = first.data();
  // All are kept alive: freed memory could be reused by chance.
  const Array second = shared.take(DType::kFloat32, {10, 2});
  CHECK(second.data() != memory);
  shared.give_back(std::move(first));
  const Array doubles = shared.take(DType::kFloat64, {10}),
              flat = shared.take(DType::kFloat32, {20});
  CHECK(doubles.data() != memory);
  CHECK(flat.data() != memory);
  const Array again = shared.take(DType::kFloat32, {10, 2});
  CHECK(again.data() == memory);
  const Array third = shared.take(DType::kFloat32, {10, 2});
  CHECK(third.data() != memory);
}

TEST_CASE("An array is copied to the device once") {
  SharedArrays shared(test::check_kernels(), {});
  const Array host = Array::from(counting<double>(1000));
  const Array there = shared.on_device(host, stream());
  CHECK(values_of<double>(there) == counting<double>(1000));
  CHECK(shared.on_device(host, stream()).data() == there.data());
  const Array other = Array::from(counting<double>(1000, 1));
  CHECK(shared.on_device(other, stream()).data() != there.data());
  // Another form at the same address is another array.
  CHECK(shared.on_device(host.slice(0, 0, 10, 1), stream()).bytes() == 0);
  CHECK(shared.on_device(Array::on_host(DType::kFloat64, {0}), stream()).bytes() == 0);
}

TEST_CASE("A copy that a kernel wrote to is made again") {
  SharedArrays shared(test::check_kernels(), {});
  const Array host = Array::from(counting<double>(1000));
  const Array there = shared.on_device(host, stream());
  copy(Array::from(counting<double>(1000, 7)), there, stream());
  CHECK(values_of<double>(shared.on_device(host, stream())) == counting<double>(1000));
}

TEST_CASE("Copies respect the limit, and are freed when a variant needs memory") {
  double used = 0;
  SharedArrays shared(test::check_kernels(), {.limit = 10000, .used = &used});
  const Array small = Array::from(counting<double>(1000)),
              large = Array::from(counting<double>(1001));
  CHECK(shared.on_device(small, stream()).bytes() == 8000);
  CHECK(used == 8000);
  CHECK(shared.on_device(large, stream()).bytes() == 0);
  CHECK(shared.drop_device_copies());
  CHECK(used == 0);
  CHECK_FALSE(shared.drop_device_copies());
  CHECK(shared.on_device(small, stream()).bytes() == 0);
}

}  // namespace
}  // namespace kernelbatch
