// The host prelude's atomic operations: result and old value.
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

template <class T>
void check_atomic(const std::string& c_type, const std::string& call, T before, T after) {
  INFO(call << " of " << c_type);
  const LoadedKernel loaded(
      "extern \"C\" __global__ void f(" + c_type + "* x) { x[1] = " + call + "; }", "f");
  const Array x = test::device_array(std::vector<T>{before, T(99)});
  loaded.run(grid_of(1, 1), x);
  CHECK(test::values_of<T>(x)[0] == after);
  CHECK(test::values_of<T>(x)[1] == before);
}

TEST_CASE("Atomics change the value and return the old one") {
  check_atomic<int>("int", "atomicAdd(x, 5)", 7, 12);
  check_atomic<int>("int", "atomicSub(x, 5)", 7, 2);
  check_atomic<int>("int", "atomicMin(x, -5)", 7, -5);
  check_atomic<int>("int", "atomicMin(x, 50)", 7, 7);
  check_atomic<int>("int", "atomicMax(x, 50)", 7, 50);
  check_atomic<int>("int", "atomicExch(x, 3)", 7, 3);
  check_atomic<int>("int", "atomicAnd(x, 5)", 7, 5);
  check_atomic<int>("int", "atomicOr(x, 8)", 7, 15);
  check_atomic<int>("int", "atomicXor(x, 1)", 7, 6);
}

TEST_CASE("Atomics exist for 64-bit integers and floats") {
  check_atomic<std::uint64_t>("unsigned long long", "atomicAdd(x, 1ull << 40)", 7,
                              (std::uint64_t{1} << 40) + 7);
  check_atomic<std::uint64_t>("unsigned long long", "atomicMax(x, 1ull << 40)", 7,
                              std::uint64_t{1} << 40);
  check_atomic<float>("float", "atomicAdd(x, 0.5f)", 7, 7.5f);
  check_atomic<double>("double", "atomicAdd(x, 0.5)", 7, 7.5);
  check_atomic<float>("float", "atomicExch(x, 0.5f)", 7, 0.5f);
}

TEST_CASE("atomicInc and atomicDec wrap like CUDA's") {
  check_atomic<unsigned>("unsigned", "atomicInc(x, 9u)", 7, 8);
  check_atomic<unsigned>("unsigned", "atomicInc(x, 7u)", 7, 0);
  check_atomic<unsigned>("unsigned", "atomicDec(x, 9u)", 7, 6);
  check_atomic<unsigned>("unsigned", "atomicDec(x, 9u)", 0, 9);
  check_atomic<unsigned>("unsigned", "atomicDec(x, 5u)", 7, 5);
}

TEST_CASE("atomicCAS swaps only the expected value") {
  check_atomic<int>("int", "atomicCAS(x, 7, 3)", 7, 3);
  check_atomic<int>("int", "atomicCAS(x, 6, 3)", 7, 7);
  check_atomic<std::uint64_t>("unsigned long long", "atomicCAS(x, 7ull, 1ull << 40)", 7,
                              std::uint64_t{1} << 40);
  check_atomic<std::uint16_t>("unsigned short",
                              "atomicCAS(x, (unsigned short)7, (unsigned short)3)", 7, 3);
}

}  // namespace
}  // namespace kernelbatch
