// The loops and reductions that a GPU gets, run thread by thread on the host: packs, lanes, workers
// and splits are checked where there is no GPU.
#include "core/array/random.hpp"
#include "core/kernel/elementwise.hpp"
#include "core/kernel/reduction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/scheduled_device.hpp"

namespace kernelbatch {
namespace {

Stream& gpu_stream() {
  static test::ScheduledDevice device{test::h200_properties()};
  static const std::unique_ptr<Stream> stream = device.make_stream();
  return *stream;
}

template <class T>
Array on_gpu(const std::vector<T>& values, const Shape& shape) {
  return to_device(Array::from(values).reshape(shape), gpu_stream());
}
template <class T>
std::vector<T> from_gpu(const Array& array) {
  const Array host = to_host(array, gpu_stream());
  return {host.as<T>().begin(), host.as<T>().end()};
}

/// The loop of CUDA's prelude: all threads of the grid, each at its own elements.
ElementwiseOptions grid_loop() {
  ElementwiseOptions options;
  options.preamble = R"(
#undef KERNELBATCH_FOR
#define KERNELBATCH_FOR(Index, name, count) \
  for (Index name = Index(blockIdx.x) * Index(blockDim.x) + Index(threadIdx.x); name < (count); \
       name += Index(gridDim.x) * Index(blockDim.x))
)";
  return options;
}

ReductionOptions by_lanes() {
  ReductionOptions options;
  options.options = {"-DKERNELBATCH_ON_CUDA"};
  return options;
}

TEST_CASE("Packed loops reach every element of every size once") {
  const ElementwiseKernel kernel{"T x, T one", "T y, int8 z", "y += x + one; z = x", "packed",
                                 grid_loop()};
  for (const std::int64_t n : {1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1000, 4099, 300007}) {
    const Array y = on_gpu(std::vector<float>(static_cast<std::size_t>(n) + 8, 100), {n + 8});
    const Array z = on_gpu(std::vector<signed char>(static_cast<std::size_t>(n) + 8, 9), {n + 8});
    std::vector<float> x;
    for (std::int64_t k = 0; k < n; ++k) x.push_back(static_cast<float>(k % 100));
    kernel(gpu_stream(), on_gpu(x, {n}), on_gpu<float>({1}, {1}), y.slice(0, 0, n, 1),
           z.slice(0, 0, n, 1));
    const std::vector<float> got = from_gpu<float>(y);
    const std::vector<signed char> small = from_gpu<signed char>(z);
    bool right = true;
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool inside = k < x.size();
      right = right && got[k] == (inside ? 101 + x[k] : 100);
      right = right && small[k] == (inside ? static_cast<signed char>(x[k]) : 9);
    }
    INFO(n);
    CHECK(right);
  }
}

TEST_CASE("Strided loops of a grid reach every element once") {
  const ElementwiseKernel kernel{"T x", "T y", "y = 2 * x + i0", "strided", grid_loop()};
  const Array x = on_gpu(test::counting<int>(700 * 33), {700, 33}).transpose();
  const std::vector<int> got = from_gpu<int>(kernel(gpu_stream(), x)[0]);
  bool right = true;
  for (int r = 0; r < 33; ++r)
    for (int c = 0; c < 700; ++c)
      right = right && got[static_cast<std::size_t>(r * 700 + c)] == 2 * (c * 33 + r) + r;
  CHECK(right);
}

/// Associative and not commutative: x → p·x + q modulo a prime, one after the other.
struct Affine {
  std::uint64_t p, q;
};
Affine affine_of(std::int64_t k) {
  const auto n = static_cast<std::uint64_t>(k);
  return {n * 7919 % 1000002 + 1, (n * n + 17) % 1000003};
}
Affine then(const Affine& a, const Affine& b) {
  return {b.p * a.p % 1000003, (b.p * a.q + b.q) % 1000003};
}

const ReductionKernel& composition() {
  static const ReductionKernel kernel = [] {
    ReductionOptions options = by_lanes();
    options.reduce_type = "affine";
    options.preamble = R"(
struct affine { unsigned long long p, q; };
__device__ affine of(unsigned long long n) { return {n * 7919 % 1000002 + 1, (n * n + 17) % 1000003}; }
__device__ affine then(affine a, affine b) {
  return {b.p * a.p % 1000003, (b.p * a.q + b.q) % 1000003};
})";
    return ReductionKernel{
        "T x",        "int64 p, int64 q", "of(x)", "then(a, b)", "p = a.p; q = a.q",
        std::nullopt, "composition",      options};
  }();
  return kernel;
}

/// Checks rows or columns of the rows × columns matrix 0, 1, 2, …
template <class T>
void check_matrix(std::int64_t rows, std::int64_t columns, int axis, std::int64_t offset = 0) {
  std::vector<T> values(static_cast<std::size_t>(offset), T(0));
  for (std::int64_t k = 0; k < rows * columns; ++k) values.push_back(static_cast<T>(k % 30000));
  const auto size = static_cast<std::int64_t>(values.size());
  const Array x =
      on_gpu(values, {size}).slice(0, offset, rows * columns, 1).reshape({rows, columns});
  const std::vector<Array> out = composition().over({axis})(gpu_stream(), x);
  const std::vector<std::int64_t> p = from_gpu<std::int64_t>(out[0]);
  const std::vector<std::int64_t> q = from_gpu<std::int64_t>(out[1]);
  const std::int64_t outputs = axis == 1 ? rows : columns;
  const std::int64_t count = axis == 1 ? columns : rows;
  bool right = static_cast<std::int64_t>(p.size()) == outputs;
  for (std::int64_t o = 0; right && o < outputs; ++o) {
    const auto at = [&](std::int64_t k) {
      return affine_of((axis == 1 ? o * columns + k : k * columns + o) % 30000);
    };
    Affine expected = at(0);
    for (std::int64_t k = 1; k < count; ++k) expected = then(expected, at(k));
    right = p[static_cast<std::size_t>(o)] == static_cast<std::int64_t>(expected.p) &&
            q[static_cast<std::size_t>(o)] == static_cast<std::int64_t>(expected.q);
  }
  INFO(rows << " x " << columns << ", axis " << axis << ", offset " << offset);
  CHECK(right);
}

TEST_CASE("One output keeps the order over lanes, packs, workers and splits") {
  for (const std::int64_t n : {1,   2,   3,   4,   7,    31,   32,   33,   63,    64,     65,
                               127, 128, 129, 255, 1000, 4095, 4096, 4097, 20011, 100003, 400000}) {
    check_matrix<std::int16_t>(1, n, 1);
    check_matrix<std::int64_t>(1, n, 1);
    check_matrix<std::int16_t>(1, n, 1, 1);
  }
}

TEST_CASE("Rows keep the order in every share of a block") {
  for (const std::int64_t rows : {2, 3, 31, 33, 300})
    for (const std::int64_t columns : {2, 3, 5, 8, 16, 17, 31, 33, 64, 100, 128, 300, 1000}) {
      check_matrix<std::int16_t>(rows, columns, 1);
      check_matrix<std::int64_t>(rows, columns, 1);
    }
}

TEST_CASE("Columns keep the order in every share of a block") {
  for (const std::int64_t rows : {2, 3, 31, 33, 64, 65, 300, 5000})
    for (const std::int64_t columns : {2, 3, 31, 32, 33, 100, 300}) {
      if (rows * columns > 600000) continue;
      check_matrix<std::int64_t>(rows, columns, 0);
    }
}

TEST_CASE("More outputs than the device holds blocks for are all reduced") {
  check_matrix<std::int64_t>(40000, 3, 1);
  check_matrix<std::int64_t>(3, 400000, 0);
}

TEST_CASE("Identities enter once per output in every schedule") {
  const ReductionKernel sum{"T x",  "T y",           "x",       "a + b", "y = a",
                            "1000", "sum_from_1000", by_lanes()};
  for (const std::int64_t n : {1, 31, 33, 1000, 100003}) {
    const Array x = on_gpu(std::vector<std::int64_t>(static_cast<std::size_t>(n), 1), {n});
    CHECK(from_gpu<std::int64_t>(sum(gpu_stream(), x)[0])[0] == 1000 + n);
  }
  const Array x = on_gpu(std::vector<int>(120000, 1), {300, 400});
  CHECK(from_gpu<int>(sum.over({0})(gpu_stream(), x)[0]) == std::vector<int>(400, 1300));
  CHECK(from_gpu<int>(sum.over({1})(gpu_stream(), x)[0]) == std::vector<int>(300, 1400));
}

TEST_CASE("Reduce types of odd sizes travel between lanes whole") {
  for (const char* members :
       {"unsigned char b[3]; ", "unsigned char b[5]; ", "short b[3]; ", "unsigned char b[17]; "}) {
    ReductionOptions options = by_lanes();
    options.reduce_type = "odd";
    options.preamble = std::string("struct odd { ") + members + "};";
    const ReductionKernel kernel{"int8 x",
                                 "int32 y",
                                 "odd o{}; o.b[0] = x; o.b[2] = x; return o;",
                                 "odd o = a; if (b.b[0] > a.b[0]) o = b; return o;",
                                 "y = a.b[0] == a.b[2] ? a.b[0] : -1",
                                 std::nullopt,
                                 "odd_sizes",
                                 options};
    std::vector<signed char> values(5000, 1);
    values[3333] = 77;
    CHECK(from_gpu<int>(kernel(gpu_stream(), on_gpu(values, {5000}))[0])[0] == 77);
  }
}

TEST_CASE("Broadcast inputs, inner strides and special names hold in packed reductions") {
  const ReductionKernel kernel{
      "T x, T y", "int64 wrong", "x == (T)_j && y == 7 && _j == _i * 640 + _J ? 0 : 1",
      "a + b",    "wrong = a",   "0",
      "names",    by_lanes()};
  const Array x = on_gpu(test::counting<int>(30 * 640), {30, 640});
  const Array y = on_gpu<int>({7}, {1});
  CHECK(from_gpu<std::int64_t>(kernel.over({1})(gpu_stream(), x, y)[0]) ==
        std::vector<std::int64_t>(30, 0));
  const ReductionKernel sum{"T x, T y", "int64 z", "x * y", "a + b",
                            "z = a",    "0",       "dot",   by_lanes()};
  CHECK(from_gpu<std::int64_t>(sum.over({1})(gpu_stream(), x, y)[0])[0] == 7 * 639 * 320);
  CHECK(from_gpu<std::int64_t>(sum.over({1})(gpu_stream(), x.slice(1, 1, 319, 2), y)[0])[0] ==
        7 * 319 * 319);
  const Array cube = x.reshape({30, 64, 10});
  CHECK(from_gpu<std::int64_t>(sum.over({0, 2})(gpu_stream(), cube, y)[0]).size() == 64);
}

}  // namespace
}  // namespace kernelbatch
