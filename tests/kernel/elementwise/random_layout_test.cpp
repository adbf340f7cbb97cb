// Random layouts with a GPU's schedules, run thread by thread on the host.
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/elementwise/policy.hpp"
#include "tests/kernel/random_definition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/scheduled_device.hpp"

namespace kernelbatch {
namespace {

using namespace test;

constexpr std::uint64_t kLayoutSeed = 20260203;

Stream& layout_stream() {
  static Stream& stream = test::make_lasting_stream(test::small_h200_properties());
  return stream;
}

/// One to four axes, of which one or two are long; or a few long rows; or many `blocks` of two
/// short axes; or the rows and columns of a `plane`.
Shape layout_shape(Dice& dice, bool has_blocks, bool is_plane) {
  if (is_plane) return {dice.between(130, 400), dice.pick<int>({3, 5, 7}), dice.between(43, 99)};
  if (has_blocks) return {dice.between(300, 900), dice.pick<int>({3, 5, 7}), dice.between(2, 6)};
  if (dice.chance(25)) return {dice.pick<int>({1, 17, 513, 514, 515, 519, 1000, 3001, 3007})};
  if (dice.chance(15)) return {dice.between(5, 9), dice.between(300, 1100)};
  const int axes = dice.between(2, 4);
  Shape shape;
  for (int axis = 0; axis < axes; ++axis) shape.push_back(dice.pick<int>({2, 3, 4, 5, 8, 21}));
  shape[dice.between(0, axes - 1)] = dice.between(60, 300);
  shape[dice.between(0, axes - 1)] = dice.between(20, 140);
  return shape;
}

/// An operand of `shape`: axes in another order, gaps, reversed axes, repeated ones. Blocks are
/// contiguous, with their own axes in any order. If the array `is_turned`, its order is the
/// reverse.
RandomArray layout_operand(Dice& dice, DType dtype, const Shape& shape, bool may_repeat,
                           bool has_blocks, bool is_turned = false) {
  const int axes = shape.count();
  Shape own = shape;
  if (may_repeat && !has_blocks && dice.chance(40)) own[dice.between(0, axes - 1)] = 1;
  std::vector<int> order, back(static_cast<std::size_t>(axes));
  for (int k = 0; k < axes; ++k) order.insert(order.begin() + dice.between(0, k), k);
  if (dice.chance(20)) std::ranges::sort(order);
  // Evenly spaced elements, in the order of the axes.
  const bool is_spaced = axes == 1 || (!has_blocks && !is_turned && dice.chance(15));
  if (is_spaced) std::ranges::sort(order);
  const bool is_plain = is_spaced || has_blocks || dice.chance(60);
  // Whole rows with gaps between them.
  const bool has_gaps = !is_spaced && !has_blocks && !is_turned && axes > 1 && dice.chance(15);
  if (is_turned) std::ranges::sort(order, std::greater());
  if (has_gaps) std::ranges::sort(order);
  if (has_blocks) std::ranges::rotate(order, std::ranges::find(order, 0));
  Shape stored;
  std::vector<int> steps, starts;
  for (const int axis : order) {
    steps.push_back(is_plain || dice.chance(75) ? 1 : dice.between(2, 3));
    starts.push_back(is_plain || dice.chance(75) ? 0 : dice.between(1, 8));
    if (is_spaced && axis == axes - 1)
      steps.back() = dice.between(1, 4), starts.back() = axes == 1 ? dice.between(0, 8) : 0;
    if (has_gaps) {
      steps.back() = 1;
      starts.back() = axis == axes - 1 ? dice.between(1, 8) : 0;
    }
    stored.push_back(starts.back() + own[axis] * steps.back());
  }
  RandomArray made;
  made.base = Array::on_host(dtype, stored);
  for (std::int64_t k = 0; k < made.base.size(); ++k)
    write_number(std::int64_t{dice.between(0, dtype == DType::kBool ? 1 : 100)}, dtype,
                 made.base.data() + static_cast<std::size_t>(k) * size_of(dtype));
  Array view = made.base;
  for (int k = 0; k < axes; ++k) {
    const auto at = static_cast<std::size_t>(k);
    back[static_cast<std::size_t>(order[at])] = k;
    const std::int64_t count = own[order[at]];
    const bool backwards = !is_plain && dice.chance(15);
    view = view.slice(k, backwards ? starts[at] + (count - 1) * steps[at] : starts[at], count,
                      backwards ? -steps[at] : steps[at]);
  }
  made.host = view.transpose(back);
  made.device = same_view(made.host, made.base, to_device(made.base, layout_stream()));
  return made;
}

/// A sum of inputs, and the outputs' array.
struct RandomLayout {
  bool has_blocks, is_plane;
  Shape shape;
  DType dtype;
  std::string in, text = "0LL", notes;
  std::vector<RandomArray> inputs;
  RandomArray out;

  explicit RandomLayout(Dice& dice)
      : has_blocks(dice.chance(15)),
        is_plane(!has_blocks && dice.chance(20)),
        shape(layout_shape(dice, has_blocks, is_plane)),
        dtype(dice.pick<DType>({DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64,
                                DType::kInt8, DType::kComplex64})) {
    const int count = dice.between(1, is_plane ? 2 : 3);
    for (int k = 0; k < count; ++k) {
      const DType own = dice.chance(70) ? dtype : dice.dtype();
      inputs.push_back(layout_operand(dice, own, shape, k > 0, has_blocks, is_plane && k == 0));
      in += fmt::format("{}{} x{}", k == 0 ? "" : ", ", name_of(own), k);
      text += fmt::format(" + {} * {}", k + 1, as_integer(own, fmt::format("x{}", k)));
      notes += fmt::format("{} strides {}\n", name_of(own), to_text(inputs.back().host.strides()));
    }
    out = layout_operand(dice, dtype, shape, false, has_blocks);
    if (!dice.chance(40)) {
      out.base = out.host = Array::on_host(dtype, shape);
      std::memset(out.base.data(), 0, out.base.bytes());
      out.device = to_device(out.base, layout_stream());
    }
    notes += fmt::format("out strides {}\n", to_text(out.host.strides()));
  }

  ElementwiseDefinition definition() const {
    const std::string sum = fmt::format("const long long v = {};\n", text);
    return {in,
            fmt::format("{} z", name_of(dtype)),
            sum + store_text(dtype, "z", "(v % 100)"),
            "layout",
            {}};
  }
  std::vector<Argument> arguments() const {
    std::vector<Argument> all;
    for (const RandomArray& input : inputs) all.emplace_back(input.device);
    all.emplace_back(out.device);
    return all;
  }
  /// The memory of the outputs, of which only the view has changed.
  Array expected() const {
    Array whole = Array::on_host(dtype, out.base.shape());
    std::memcpy(whole.data(), out.base.data(), whole.bytes());
    const Array view = same_view(out.host, out.base, whole);
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const std::vector<std::int64_t> at = coordinates_of(i, shape);
      std::int64_t value = 0, offset = 0, factor = 0;
      for (const RandomArray& input : inputs) value += ++factor * input.broadcast_at(at);
      for (int axis = 0; axis < shape.count(); ++axis)
        offset += at[static_cast<std::size_t>(axis)] * view.strides()[axis];
      store_integer(value % 100, dtype, view.data() + offset);
    }
    return whole;
  }
  Array result() const {
    const std::int64_t before = out.host.data() - out.base.data();
    return to_host(
        out.device.with_layout(out.device.data() - before, out.base.shape(), out.base.strides()),
        layout_stream());
  }
};

/// Numbers of layouts with each form of schedule.
struct Chosen {
  int tiled = 0, plane = 0, shifted = 0, copied = 0, by_rows = 0, covered = 0, spanning = 0,
      by_elements = 0;

  void count(const RandomLayout& layout) {
    const ElementwiseDefinition definition = layout.definition();
    const std::vector<Argument> arguments = layout.arguments();
    CallArguments call = resolve_arguments("layout", definition.in, definition.out, arguments);
    const ElementwiseLoop loop = plan_elementwise(definition, std::move(call.types), layout.shape,
                                                  arguments, layout_stream().device().properties());
    const auto* const tiles = std::get_if<TiledLoop>(&loop.schedule);
    if (tiles != nullptr) ++tiled;
    const auto* const planes = std::get_if<PlaneLoop>(&loop.schedule);
    if (planes != nullptr) ++plane;
    if (planes != nullptr && planes->unit > 1) ++shifted;
    if (tiles != nullptr && tiles->copies) ++copied;
    if (tiles != nullptr && tiles->shape.order.by_rows) ++by_rows;
    const auto* const packed = std::get_if<PackedLoop>(&loop.schedule);
    if (packed != nullptr && packed->covers) ++covered;
    if (packed != nullptr && packed->spans) ++(packed->by_elements ? by_elements : spanning);
  }
};

TEST_CASE("Random layouts are right in a GPU's schedules") {
  Chosen chosen;
  for (const DefinitionBatch& batch : definition_batches(kLayoutSeed)) {
    WARN("seed " << batch.seed << ", " << batch.count << " layouts");
    Dice dice(batch.seed);
    for (int number = 0; number < batch.count; ++number) {
      const RandomLayout layout(dice);
      INFO("layout " << number << " " << to_text(layout.shape) << " of " << name_of(layout.dtype)
                     << "\n"
                     << layout.notes);
      ElementwiseKernel(layout.definition()).call(layout_stream(), layout.arguments());
      const Array got = layout.result(), wanted = layout.expected();
      CHECK(std::memcmp(got.data(), wanted.data(), got.bytes()) == 0);
      // The other seed varies: its layouts can lack a rare form.
      if (batch.seed == kLayoutSeed) chosen.count(layout);
    }
  }
  const int count = definition_batches(kLayoutSeed).front().count;
  const auto one_in = [count](int layouts) { return std::max(1, count / layouts); };
  CHECK(chosen.tiled >= one_in(4));
  CHECK(chosen.plane >= one_in(60));
  CHECK(chosen.shifted >= one_in(60));
  CHECK(chosen.covered >= one_in(40));
  CHECK(chosen.by_rows >= one_in(20));
  CHECK(chosen.copied >= one_in(100));
  CHECK(chosen.spanning >= one_in(150));
  CHECK(chosen.by_elements >= one_in(40));
}

TEST_CASE("Tiles read every second element from any place in an aligned pack") {
  constexpr int kRows = 1201;
  Stream& stream = layout_stream();
  const ElementwiseKernel difference{
      {.in = "T x, T y", .out = "T z", .operation = "z = x - y", .name = "difference"}};
  const auto numbered = [](const Shape& shape) {
    Array array = Array::on_host(DType::kInt16, shape);
    std::int16_t next = 0;
    for (std::int16_t& each : array.as<std::int16_t>())
      each = next = static_cast<std::int16_t>((next + 1) % 1009);
    return array;
  };
  for (int start = 0; start < 8; ++start) {
    INFO("start " << start);
    const Array base = numbered(Shape{kRows, 24}), y = numbered(Shape{8, kRows});
    const Array x = to_device(base, stream).slice(1, start, 8, 2);
    const Array z = Array::on_device(stream.device(), DType::kInt16, Shape{kRows, 8});
    difference(stream, x, to_device(y, stream).transpose(std::vector<int>{1, 0}), z);
    const Array got = to_host(z, stream);
    int wrong = 0;
    for (int row = 0; row < kRows; ++row)
      for (int k = 0; k < 8; ++k)
        wrong += got.as<std::int16_t>()[static_cast<std::size_t>(row * 8 + k)] !=
                 base.as<std::int16_t>()[static_cast<std::size_t>(row * 24 + start + 2 * k)] -
                     y.as<std::int16_t>()[static_cast<std::size_t>(k * kRows + row)];
    CHECK(wrong == 0);
  }
}

TEST_CASE("Packs that span rows read every second element from any place in an aligned pack") {
  constexpr int kRows = 1201, kColumns = 700;
  Stream& stream = layout_stream();
  const ElementwiseKernel difference{
      {.in = "T x, T y", .out = "T z", .operation = "z = x - y", .name = "difference"}};
  Array y = Array::on_host(DType::kInt16, Shape{1, kColumns});
  std::iota(y.as<std::int16_t>().begin(), y.as<std::int16_t>().end(), std::int16_t{0});
  Array base = Array::on_host(DType::kInt16, Shape{kRows * kColumns * 2 + 16});
  for (std::size_t k = 0; k < base.as<std::int16_t>().size(); ++k)
    base.as<std::int16_t>()[k] = static_cast<std::int16_t>(k % 1009);
  const Array on_device = to_device(base, stream);
  for (const int start : {0, 1, 7, 15}) {
    INFO("start " << start);
    const std::int64_t row = kColumns * 4;
    const Array x = on_device.with_layout(on_device.data() + start * 2, Shape{kRows, kColumns},
                                          Strides{row, 4});
    const Array z = Array::on_device(stream.device(), DType::kInt16, Shape{kRows, kColumns});
    difference(stream, x, to_device(y, stream), z);
    const Array got = to_host(z, stream);
    int wrong = 0;
    for (int k = 0; k < kRows * kColumns; ++k)
      wrong += got.as<std::int16_t>()[static_cast<std::size_t>(k)] !=
               base.as<std::int16_t>()[static_cast<std::size_t>(start + 2 * k)] - k % kColumns;
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace kernelbatch
