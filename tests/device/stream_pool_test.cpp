// Streams of fake_cuda, which are numbers.
#include "core/device/cuda/stream_pool.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch::cuda {
namespace {

TEST_CASE("A stream is used again, the oldest first, unless its state has changed") {
  StreamPool pool;
  const CUstream first = pool.take();
  const CUstream second = pool.take();
  REQUIRE(first != second);
  pool.give_back(second, true);
  pool.give_back(first, true);
  CHECK(pool.take() == first);
  CHECK(pool.take() == second);

  pool.give_back(first, false);
  const CUstream third = pool.take();
  CHECK(third != first);
  CHECK(third != second);
  pool.give_back(second, true);
  CHECK(pool.take() == second);
}

}  // namespace
}  // namespace kernelbatch::cuda
