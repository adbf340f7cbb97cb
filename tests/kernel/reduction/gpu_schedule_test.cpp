// Loops and reductions with a GPU's schedules, run thread by thread on the host: packs, lanes,
// workers and splits are checked without a GPU.
#include <algorithm>

#include "core/array/random.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/scheduled_device.hpp"

namespace kernelbatch {
namespace {

Stream& gpu_stream() {
  static Stream& stream = test::make_lasting_stream(test::h200_properties());
  return stream;
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

Stream& small_stream() {
  static Stream& stream = test::make_lasting_stream(test::small_h200_properties());
  return stream;
}

template <class T>
Array on_small(const std::vector<T>& values, const Shape& shape) {
  return to_device(Array::from(values).reshape(shape), small_stream());
}

/// out = 3·x + y, element by element, for operands of any layout.
template <class T>
void check_layout(const Array& x, const Array& y) {
  const ElementwiseKernel kernel{{.in = "T x, T y",
                                  .out = "T z, int8 low",
                                  .operation = "z = 3 * x + y; low = (int)z % 100",
                                  .name = "layout"}};
  const std::vector<Array> out = kernel(small_stream(), x, y);
  const Array host_x = to_host(x.broadcast_to(out[0].shape()), small_stream());
  const Array host_y = to_host(y.broadcast_to(out[0].shape()), small_stream());
  const std::vector<T> z = from_gpu<T>(out[0]);
  const std::vector<signed char> low = from_gpu<signed char>(out[1]);
  bool right = z.size() > 0;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const T expected = static_cast<T>(3 * host_x.as<T>()[k] + host_y.as<T>()[k]);
    right = right && z[k] == expected && low[k] == static_cast<int>(expected) % 100;
  }
  INFO(to_text(x.shape()) << " " << to_text(y.shape()));
  CHECK(right);
}

TEST_CASE("Packed loops reach every element of every size once") {
  const ElementwiseKernel kernel{{.in = "T x, T one",
                                  .out = "T y, int8 z",
                                  .operation = "y += x + one; z = x",
                                  .name = "packed"}};
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

TEST_CASE("Packs of several axes reach every element, with or without several in flight") {
  const auto values = [](const Shape& shape) {
    return on_small(test::counting<float>(element_count(shape)), shape);
  };
  for (const Shape& shape : {Shape{3, 4}, Shape{30, 16}, Shape{128, 260}, Shape{77, 129},
                             Shape{9, 130, 36}, Shape{5, 1000, 3}}) {
    const Array x = values(shape);
    Shape row = shape, column = shape;
    row[0] = 1;
    column[shape.count() - 1] = 1;
    check_layout<float>(x, values(row));
    check_layout<float>(values(column), x);
    check_layout<float>(x, values({1}));
    Shape wide = shape;
    wide[shape.count() - 1] *= 3;
    const Array thirds = values(wide).slice(shape.count() - 1, 1, shape[shape.count() - 1], 3);
    check_layout<float>(x, thirds);
  }
}

TEST_CASE("Gaps along the last of several axes are read by the packs around them") {
  const auto values = [](const Shape& shape) {
    return on_small(test::counting<std::int16_t>(element_count(shape)), shape);
  };
  for (const Shape& shape : {Shape{9001, 8}, Shape{5003, 3, 4}, Shape{2003, 5, 16}})
    for (const std::int64_t step : {2, 3, 4})
      for (const std::int64_t begin : {0, 1}) {
        const int last = shape.count() - 1;
        Shape wide = shape, row = shape, column = shape;
        wide[last] *= step;
        row[0] = 1;
        column[1] = 1;
        const Array x = values(wide).slice(last, begin, shape[last], step);
        check_layout<std::int16_t>(x, values(row));
        check_layout<std::int16_t>(values(column), x);
        // The elements before the end are the last of the memory.
        check_layout<std::int16_t>(x.slice(0, shape[0] - 1, shape[0], -1), values(row));
      }
}

TEST_CASE("Transposed arrays are combined in tiles") {
  const auto check = [](auto zero, const Shape& base, const std::vector<int>& order) {
    using T = decltype(zero);
    const Array across = on_small(test::counting<T>(element_count(base)), base).transpose(order);
    const Array along = on_small(test::counting<T>(element_count(base)), across.shape());
    check_layout<T>(across, along);
    check_layout<T>(along, across);
    check_layout<T>(across, on_small<T>({5}, {1}));
    Shape row = across.shape();
    row[0] = 1;
    check_layout<T>(across, on_small(test::counting<T>(element_count(row)), row));
  };
  for (const Shape& base : {Shape{32, 32}, Shape{16, 17}, Shape{100, 33}, Shape{31, 200}}) {
    check(1.0f, base, {1, 0});
    check(1.0, base, {1, 0});
    check(std::int16_t{1}, base, {1, 0});
  }
  check(1.0f, {130, 200}, {1, 0});
  check(1.0, {400, 290}, {1, 0});
  check(1.0f, {5, 40, 70}, {0, 2, 1});
  check(1.0f, {40, 5, 70}, {2, 1, 0});
  check(1.0, {20, 30, 40}, {1, 2, 0});
  check(1.0f, {3, 20, 4, 35}, {3, 0, 1, 2});
  // The outputs' last axis is short: tiles along the one before.
  check(1.0f, {2, 70, 90}, {2, 1, 0});
  check(1.0, {3, 40, 33}, {2, 1, 0});
  check(std::int16_t{1}, {2, 3, 70, 20}, {3, 2, 1, 0});
}

TEST_CASE("Strided loops of a grid reach every element once") {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = "T y", .operation = "y = 2 * x + i0", .name = "strided"}};
  const Array x = on_gpu(test::counting<int>(700 * 33), {700, 33}).transpose();
  const std::vector<int> got = from_gpu<int>(kernel(gpu_stream(), x)[0]);
  bool right = true;
  for (int r = 0; r < 33; ++r)
    for (int c = 0; c < 700; ++c)
      right = right && got[static_cast<std::size_t>(r * 700 + c)] == 2 * (c * 33 + r) + r;
  CHECK(right);
}

/// Associative but not commutative: composition of x → p·x + q modulo a prime.
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
    ReductionOptions options;
    options.reduce_type = "affine";
    options.preamble = R"(
struct affine { unsigned long long p, q; };
__device__ affine of(unsigned long long n) { return {n * 7919 % 1000002 + 1, (n * n + 17) % 1000003}; }
__device__ affine then(affine a, affine b) {
  return {b.p * a.p % 1000003, (b.p * a.q + b.q) % 1000003};
})";
    return ReductionKernel{{.in = "T x",
                            .out = "int64 p, int64 q",
                            .map = "of(x)",
                            .reduce = "then(a, b)",
                            .post_map = "p = a.p; q = a.q",
                            .identity = std::nullopt,
                            .name = "composition",
                            .options = options}};
  }();
  return kernel;
}

/// Checks rows or columns of the rows × columns matrix 0, 1, 2, …
template <class T>
void check_matrix(std::int64_t rows, std::int64_t columns, int axis, std::int64_t offset = 0,
                  Stream& on = gpu_stream()) {
  std::vector<T> values(static_cast<std::size_t>(offset), T(0));
  for (std::int64_t k = 0; k < rows * columns; ++k) values.push_back(static_cast<T>(k % 30000));
  const auto size = static_cast<std::int64_t>(values.size());
  const Array x = to_device(Array::from(values), on)
                      .slice(0, offset, size - offset, 1)
                      .reshape({rows, columns});
  const std::vector<Array> out = composition().over({axis})(on, x);
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

/// Σ x·(J + 1), whose order is free, and the output's number.
const ReductionKernel& weighted_sum() {
  static const ReductionKernel kernel{{.in = "T x",
                                       .out = "int64 y, int64 at",
                                       .map = "(long long)x * (i + 1)",
                                       .reduce = "a + b",
                                       .post_map = "y = a; at = _i",
                                       .identity = "0",
                                       .name = "weighted",
                                       .options = [] {
                                         ReductionOptions options;
                                         options.reduce_type = "long long";
                                         return options;
                                       }()}};
  return kernel;
}

/// The same over some axes of the array 0, 1, 2, …. `offset`: elements from an aligned address to
/// the array.
template <class T>
void check_sums(const Shape& shape, const std::vector<int>& axes, Stream& on,
                std::int64_t offset = 0) {
  const std::int64_t count = element_count(shape);
  std::vector<T> values(static_cast<std::size_t>(offset), T(99));
  for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<T>(k % 101));
  const Array x = to_device(Array::from(values), on).slice(0, offset, count, 1).reshape(shape);
  const std::vector<Array> out = weighted_sum().over(axes)(on, x);
  const std::vector<std::int64_t> y = from_gpu<std::int64_t>(out[0]);
  const std::vector<std::int64_t> at = from_gpu<std::int64_t>(out[1]);
  std::vector<std::int64_t> expected(y.size(), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t rest = k, place = 0, J = 0, outputs = 1, elements = 1;
    for (int axis = shape.count() - 1; axis >= 0; --axis) {
      const bool is_reduced = std::ranges::find(axes, axis) != axes.end();
      (is_reduced ? J : place) += rest % shape[axis] * (is_reduced ? elements : outputs);
      (is_reduced ? elements : outputs) *= shape[axis];
      rest /= shape[axis];
    }
    expected[static_cast<std::size_t>(place)] += k % 101 * (J + 1);
  }
  INFO(to_text(shape) << " over " << axes.size() << " axes from " << axes[0] << ", offset "
                      << offset);
  CHECK(y == expected);
  CHECK(at == test::counting<std::int64_t>(out[1].size()));
}

/// The same over one axis of a matrix.
template <class T>
void check_sums(std::int64_t rows, std::int64_t columns, int axis, Stream& on,
                std::int64_t offset = 0) {
  check_sums<T>(Shape{rows, columns}, {axis}, on, offset);
}

TEST_CASE("Rows that begin anywhere are summed in aligned packs") {
  for (Stream* on : {&gpu_stream(), &small_stream()})
    for (const std::int64_t offset : {0, 1, 5})
      for (const std::int64_t columns : {33, 36, 97, 505, 514, 1037}) {
        for (const std::int64_t rows : {3, 13, 33, 120}) {
          check_sums<std::int16_t>(rows, columns, 0, *on, offset);
          check_sums<float>(rows, columns, 0, *on, offset);
        }
        for (const std::int64_t rows : {3, 40})
          check_sums<std::int16_t>(rows, columns, 1, *on, offset);
        check_sums<std::int8_t>(40, columns, 0, *on, offset);
      }
  for (const std::int64_t columns : {20011, 100003}) {
    check_sums<std::int16_t>(1, columns, 1, gpu_stream(), 3);
    check_sums<std::int16_t>(9, columns, 1, gpu_stream());
    check_sums<std::int16_t>(9, columns, 0, gpu_stream(), 2);
  }
}

TEST_CASE("Rows of few columns that are no whole packs are summed as one row") {
  for (const std::int64_t columns : {2, 3, 5, 12, 17, 33, 76, 255})
    for (const std::int64_t rows : {8192, 20001, 40007}) {
      if (rows * columns > 700000) continue;
      check_sums<std::int16_t>(rows, columns, 0, gpu_stream());
      check_sums<std::int16_t>(rows, columns, 0, small_stream());
      check_sums<std::int8_t>(rows, columns, 0, small_stream());
      check_sums<float>(rows, columns, 0, gpu_stream());
      check_sums<std::int64_t>(rows, columns, 0, small_stream());
      check_sums<std::int16_t>(rows, columns, 0, small_stream(), 4);
    }
  // One worker has all of a block's threads.
  check_sums<float>(1501, 459, 0, gpu_stream());
  check_sums<std::int16_t>(1501, 511, 0, small_stream());
}

TEST_CASE("Rows of few columns are summed as one row for each index of the first axis") {
  for (const std::int64_t columns : {2, 3, 4, 7, 13, 33, 130})
    for (const std::int64_t groups : {3, 40}) {
      const std::int64_t rows = groups == 3 ? 2051 : 620;
      if (groups * rows * columns > 700000) continue;
      for (const std::int64_t offset : {0, 5}) {
        check_sums<std::int16_t>({groups, rows, columns}, {1}, small_stream(), offset);
        check_sums<float>({groups, rows, columns}, {1}, small_stream(), offset);
        check_sums<std::int8_t>({groups, rows, columns}, {1}, small_stream(), offset);
      }
    }
  check_sums<float>({2000, 300, 1, 2}, {1}, gpu_stream());
}

TEST_CASE("Threads share the places of an output in rows that are summed as one") {
  for (const std::int64_t last : {17, 67, 117, 301})
    for (const std::int64_t offset : {0, 1}) {
      const std::int64_t kept = last > 200 ? 2 : 4;
      check_sums<float>({640, 12, kept, last}, {1, 3}, small_stream(), offset);
      check_sums<float>({6001, kept, last}, {0, 2}, small_stream(), offset);
      check_sums<std::int16_t>({640, 12, kept, last}, {1, 3}, small_stream(), offset);
    }
}

TEST_CASE("Rows with reduced axes among the kept ones are summed as one row") {
  for (const Shape& shape : {Shape{2043, 6, 17, 3}, Shape{5001, 2, 3, 2}, Shape{1037, 3, 5, 4}})
    for (const std::vector<int>& axes : {std::vector<int>{0, 2}, {0, 1}, {0, 3}, {0, 1, 3}})
      for (const std::int64_t offset : {0, 1}) {
        check_sums<float>(shape, axes, small_stream(), offset);
        check_sums<std::int16_t>(shape, axes, small_stream(), offset);
      }
  check_sums<std::int16_t>({5, 700, 3, 4, 3}, {1, 3}, small_stream(), 1);
  check_sums<float>({70001, 2, 3, 2}, {0, 2}, gpu_stream());
}

TEST_CASE("Outputs that have short runs of neighbouring elements are summed as columns") {
  for (const std::int64_t offset : {0, 3}) {
    check_sums<std::int16_t>({9, 60, 71, 13}, {0, 1, 3}, small_stream(), offset);
    check_sums<std::int16_t>({3, 700, 67, 4}, {1, 3}, small_stream(), offset);
    check_sums<std::int16_t>({6, 31, 3, 1001}, {0, 2}, small_stream(), offset);
    check_sums<std::int16_t>({600, 1031}, {0}, small_stream(), offset);
    check_sums<std::int16_t>({4, 150, 1031}, {1}, gpu_stream(), offset);
    check_sums<float>({31, 19, 356, 3}, {1, 3}, small_stream(), offset);
    check_sums<float>({300, 111, 7}, {0, 2}, gpu_stream(), offset);
    check_sums<std::int64_t>({300, 211, 5}, {0, 2}, small_stream(), offset);
    check_sums<std::int8_t>({300, 1200, 2}, {0, 2}, small_stream(), offset);
    check_sums<std::int16_t>({100, 171, 45}, {0, 2}, gpu_stream(), offset);
    check_sums<float>({70, 111, 21}, {0, 2}, small_stream(), offset);
    check_sums<std::int64_t>({60, 61, 15}, {0, 2}, gpu_stream(), offset);
  }
}

TEST_CASE("Slices of rows that begin anywhere are summed in aligned packs") {
  for (const std::int64_t offset : {0, 3}) {
    check_sums<std::int16_t>({40, 3, 1037}, {0, 2}, small_stream(), offset);
    check_sums<std::int16_t>({3, 5, 7, 605}, {0, 1, 3}, small_stream(), offset);
    check_sums<float>({41, 3, 517}, {0, 2}, small_stream(), offset);
    // Each slice has several parts.
    check_sums<std::int16_t>({5, 2, 4001}, {0, 2}, small_stream(), offset);
    check_sums<std::int8_t>({7, 3, 2003}, {0, 2}, small_stream(), offset);
    // Each output has its own block.
    check_sums<std::int16_t>({3, 301, 531}, {0, 2}, small_stream(), offset);
  }
}

TEST_CASE("Few elements of each of many outputs are summed by threads with several outputs") {
  check_sums<float>({20011, 2, 3}, {1}, small_stream());
  check_sums<std::int16_t>({7001, 3, 5}, {1}, small_stream(), 1);
  check_sums<std::int64_t>({2, 30011}, {0}, small_stream());
}

TEST_CASE("Sums of few rows are added to outputs that are no whole packs") {
  const ReductionKernel sum{{.in = "T x, T y",
                             .out = "T z, int16 w",
                             .map = "x * y",
                             .reduce = "a + b",
                             .post_map = "z += a; w = a % 100",
                             .identity = "0",
                             .name = "added"}};
  const auto values = [](std::int64_t count) {
    std::vector<std::int16_t> list;
    for (std::int64_t k = 0; k < count; ++k) list.push_back(static_cast<std::int16_t>(k % 101));
    return list;
  };
  for (const std::int64_t rows : {1, 2, 3, 5, 9})
    for (const std::int64_t columns : {9, 515, 3001}) {
      const Array x = on_gpu(values(rows * columns + 1), {rows * columns + 1})
                          .slice(0, 1, rows * columns, 1)
                          .reshape({rows, columns});
      const Array y = on_gpu(values(rows), {rows, 1});
      const Array z =
          on_gpu(std::vector<std::int16_t>(static_cast<std::size_t>(columns), 7), {columns});
      const Array w =
          on_gpu(std::vector<std::int16_t>(static_cast<std::size_t>(columns), 7), {columns});
      sum.over({0})(gpu_stream(), x, y, z, w);
      const std::vector<std::int16_t> got = from_gpu<std::int16_t>(z),
                                      low = from_gpu<std::int16_t>(w);
      bool right = true;
      for (std::int64_t c = 0; c < columns; ++c) {
        std::int64_t expected = 0;
        for (std::int64_t r = 0; r < rows; ++r) expected += (r * columns + c + 1) % 101 * r;
        right = right && got[static_cast<std::size_t>(c)] == expected + 7 &&
                low[static_cast<std::size_t>(c)] == expected % 100;
      }
      INFO(rows << " x " << columns);
      CHECK(right);
    }
}

TEST_CASE("Short rows pass through shared memory as one piece") {
  for (const std::int64_t columns : {2, 3, 7, 12, 33, 44, 100, 131, 152, 256}) {
    check_matrix<std::int16_t>(34000, columns, 1);
    check_sums<std::int16_t>(34001, columns, 1, gpu_stream());
    check_sums<float>(34001, columns, 1, gpu_stream());
    check_sums<std::int8_t>(67585, columns, 1, gpu_stream());
  }
  check_sums<std::int16_t>(34001, 334, 1, gpu_stream());
}

TEST_CASE("Short rows of each index of a first axis pass through shared memory in slices") {
  for (const Shape& shape :
       {Shape{3, 70001, 6}, Shape{2, 70003, 3}, Shape{5, 34001, 7}, Shape{3, 359, 194, 3}}) {
    const int last = shape.count() - 1;
    check_sums<std::int16_t>(shape, {0, last}, gpu_stream());
    check_sums<float>(shape, {0, last}, gpu_stream());
    check_sums<std::int8_t>(shape, {0, last}, gpu_stream());
  }
  check_sums<std::int64_t>({3, 34001, 11}, {0, 2}, gpu_stream());
}

TEST_CASE("Groups of outputs pass through shared memory as one piece") {
  for (const Shape& shape : {Shape{6001, 7, 5, 7}, Shape{9001, 3, 3, 5}, Shape{8003, 2, 4, 6}}) {
    check_sums<std::int64_t>(shape, {1, 3}, small_stream());
    check_sums<float>(shape, {1, 3}, small_stream());
    check_sums<std::int16_t>(shape, {1, 3}, small_stream());
    check_sums<std::int16_t>(shape, {1, 2}, small_stream());
    check_sums<std::int8_t>(shape, {2}, small_stream());
  }
  check_sums<float>({5003, 3, 4, 2, 7}, {1, 3}, small_stream());
  check_sums<float>({5003, 3, 4, 2, 7}, {2, 4}, small_stream());
}

TEST_CASE("Sums with free order use every element once, in every schedule") {
  for (Stream* on : {&gpu_stream(), &small_stream()})
    for (const std::int64_t rows : {1, 2, 3, 31, 64, 300, 2048})
      for (const std::int64_t columns : {1, 2, 3, 4, 8, 31, 32, 64, 100, 130, 300, 513}) {
        if (rows * columns > 160000) continue;
        for (const int axis : {0, 1}) {
          check_sums<float>(rows, columns, axis, *on);
          check_sums<std::int64_t>(rows, columns, axis, *on);
          check_sums<std::int8_t>(rows, columns, axis, *on);
        }
      }
  check_sums<float>(1, 300001, 1, gpu_stream());
  check_sums<float>(150001, 2, 0, gpu_stream());
}

TEST_CASE("Elements before the first pack of a row and after the last are summed once") {
  // Around the packs, the lanes and the loads in flight of a block.
  for (const std::int64_t whole : {0, 16, 128, 512, 1024, 2048, 4096, 8192, 16384, 65536})
    for (const std::int64_t n : {whole - 1, whole + 1, whole + 2, whole + 15}) {
      if (n < 1) continue;
      for (const int offset : {0, 1}) {
        check_sums<std::int8_t>(1, n, 1, gpu_stream(), offset);
        check_sums<float>(1, n, 1, gpu_stream(), offset);
        check_sums<std::int64_t>(1, n, 1, gpu_stream(), offset);
      }
    }
}

TEST_CASE("Rows with gaps, of fewer lanes than a pack has elements, are summed whole") {
  constexpr std::int64_t kRows = 5, kStride = 128;
  std::vector<std::int8_t> values;
  for (std::int64_t k = 0; k < kRows * kStride; ++k)
    values.push_back(static_cast<std::int8_t>(k % 101));
  const Array whole = on_gpu(values, {kRows, kStride});
  for (const std::int64_t columns : {7, 15, 17, 31, 33, 47, 63, 65, 100, 127}) {
    std::vector<std::int64_t> expected(kRows, 0);
    for (std::int64_t row = 0; row < kRows; ++row)
      for (std::int64_t k = 0; k < columns; ++k)
        expected[static_cast<std::size_t>(row)] += (row * kStride + k) % 101 * (k + 1);
    const Array x = whole.slice(1, 0, columns, 1);
    INFO(columns << " columns");
    CHECK(from_gpu<std::int64_t>(weighted_sum().over({1})(gpu_stream(), x)[0]) == expected);
  }
}

TEST_CASE("Short rows processed several at once keep their order") {
  for (const std::int64_t columns : {1, 2, 3, 4, 7, 8, 64, 99, 128, 131, 300})
    check_matrix<std::int16_t>(700, columns, 1, 0, small_stream());
}

TEST_CASE("Reduced axes that are not adjacent are processed in packs") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const ReductionKernel sum_of_small{{.in = "int16 x",
                                      .out = "int32 y",
                                      .map = "x",
                                      .reduce = "a + b",
                                      .post_map = "y = a",
                                      .identity = "0",
                                      .name = "sum_of_small"}};
  for (const Shape& shape : {Shape{6, 5, 8}, Shape{9, 7, 13}, Shape{40, 3, 64}, Shape{3, 300, 12},
                             Shape{17, 9, 35}, Shape{3, 40, 77}}) {
    const Array x = on_gpu(test::counting<int>(element_count(shape)), shape);
    const Array small = on_gpu(test::counting<std::int16_t>(element_count(shape)), shape);
    for (const std::vector<int>& axes : {std::vector<int>{0, 2}, {1}, {0, 1}, {1, 2}, {0}}) {
      const Array y = to_host(sum.over(axes)(gpu_stream(), x)[0], gpu_stream());
      std::vector<int> expected(static_cast<std::size_t>(y.size()), 0);
      for (std::int64_t k = 0; k < x.size(); ++k) {
        std::int64_t rest = k, place = 0, step = 1;
        for (int axis = 2; axis >= 0; --axis) {
          const std::int64_t at = rest % shape[axis];
          rest /= shape[axis];
          if (std::ranges::find(axes, axis) != axes.end()) continue;
          place += at * step;
          step *= shape[axis];
        }
        expected[static_cast<std::size_t>(place)] += static_cast<int>(k);
      }
      INFO(to_text(shape) << " over " << axes.size() << " from " << axes[0]);
      CHECK(std::ranges::equal(y.as<int>(), expected));
      const Array z = to_host(sum_of_small.over(axes)(gpu_stream(), small)[0], gpu_stream());
      CHECK(std::ranges::equal(z.as<int>(), expected));
    }
  }
}

TEST_CASE("More outputs than the device holds blocks for are all reduced") {
  check_matrix<std::int64_t>(40000, 3, 1);
  check_matrix<std::int64_t>(3, 400000, 0);
}

TEST_CASE("Identities enter once per output in every schedule") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "1000",
                             .name = "sum_from_1000"}};
  for (const std::int64_t n : {1, 31, 33, 1000, 100003}) {
    const Array x = on_gpu(std::vector<std::int64_t>(static_cast<std::size_t>(n), 1), {n});
    CHECK(from_gpu<std::int64_t>(sum(gpu_stream(), x)[0])[0] == 1000 + n);
  }
  const Array x = on_gpu(std::vector<int>(120000, 1), {300, 400});
  CHECK(from_gpu<int>(sum.over({0})(gpu_stream(), x)[0]) == std::vector<int>(400, 1300));
  CHECK(from_gpu<int>(sum.over({1})(gpu_stream(), x)[0]) == std::vector<int>(300, 1400));
}

TEST_CASE("Reduce types of odd sizes are exchanged between lanes completely") {
  for (const char* members :
       {"unsigned char b[3]; ", "unsigned char b[5]; ", "short b[3]; ", "unsigned char b[17]; "}) {
    ReductionOptions options;
    options.reduce_type = "odd";
    options.preamble = std::string("struct odd { ") + members + "};";
    const ReductionKernel kernel{{.in = "int8 x",
                                  .out = "int32 y",
                                  .map = "odd o{}; o.b[0] = x; o.b[2] = x; return o;",
                                  .reduce = "odd o = a; if (b.b[0] > a.b[0]) o = b; return o;",
                                  .post_map = "y = a.b[0] == a.b[2] ? a.b[0] : -1",
                                  .identity = std::nullopt,
                                  .name = "odd_sizes",
                                  .options = options}};
    std::vector<signed char> values(5000, 1);
    values[3333] = 77;
    CHECK(from_gpu<int>(kernel(gpu_stream(), on_gpu(values, {5000}))[0])[0] == 77);
  }
}

TEST_CASE("Broadcast inputs, inner strides and special names work in packed reductions") {
  const ReductionKernel kernel{{.in = "T x, T y",
                                .out = "int64 wrong",
                                .map = "x == (T)_j && y == 7 && _j == _i * 640 + _J ? 0 : 1",
                                .reduce = "a + b",
                                .post_map = "wrong = a",
                                .identity = "0",
                                .name = "names"}};
  const Array x = on_gpu(test::counting<int>(30 * 640), {30, 640});
  const Array y = on_gpu<int>({7}, {1});
  CHECK(from_gpu<std::int64_t>(kernel.over({1})(gpu_stream(), x, y)[0]) ==
        std::vector<std::int64_t>(30, 0));
  const ReductionKernel sum{{.in = "T x, T y",
                             .out = "int64 z",
                             .map = "x * y",
                             .reduce = "a + b",
                             .post_map = "z = a",
                             .identity = "0",
                             .name = "dot"}};
  CHECK(from_gpu<std::int64_t>(sum.over({1})(gpu_stream(), x, y)[0])[0] == 7 * 639 * 320);
  CHECK(from_gpu<std::int64_t>(sum.over({1})(gpu_stream(), x.slice(1, 1, 319, 2), y)[0])[0] ==
        7 * 319 * 319);
  const Array cube = x.reshape({30, 64, 10});
  CHECK(from_gpu<std::int64_t>(sum.over({0, 2})(gpu_stream(), cube, y)[0]).size() == 64);
}

}  // namespace
}  // namespace kernelbatch
