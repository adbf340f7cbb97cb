// Random reduction definitions compared with an independent evaluator.
#include <cstring>

#include "core/kernel/reduction/kernel.hpp"
#include "tests/kernel/random_definition.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using namespace test;

constexpr std::uint64_t kSeed = 20260102;

/// How values are combined. All are associative; the last two do not commute.
enum class Operator { kSum, kMin, kMax, kAffine, kFirstOfLargest };

struct Accumulator {
  std::int64_t p = 0, q = 0;
};

const char* const kAffinePreamble =
    "struct _Pair { long long p, q; };\n"
    "__device__ inline _Pair _after(_Pair a, _Pair b) {\n"
    "  return {a.p * b.p % 101, (a.q * b.p + b.q) % 101};\n"
    "}\n";
const char* const kLargestPreamble =
    "struct _Pair { long long p, q; };\n"
    "__device__ inline _Pair _after(_Pair a, _Pair b) { return b.p > a.p ? b : a; }\n";

Accumulator combine(Operator op, Accumulator a, Accumulator b) {
  switch (op) {
    case Operator::kSum:
      return {a.p + b.p, 0};
    case Operator::kMin:
      return {std::min(a.p, b.p), 0};
    case Operator::kMax:
      return {std::max(a.p, b.p), 0};
    case Operator::kAffine:
      return {a.p * b.p % 101, (a.q * b.p + b.q) % 101};
    case Operator::kFirstOfLargest:
      return b.p > a.p ? b : a;
  }
  return a;
}

struct Definition {
  Operator op = Operator::kSum;
  std::string in_params, out_params, map, reduce, post_map;
  std::optional<std::string> identity;
  Accumulator identity_value;
  ReductionOptions options;
  ReductionCall how;
  std::vector<int> axes;  ///< sorted, of the whole shape
  std::vector<RandomArray> inputs;
  std::vector<RandomArray> outputs;
  std::vector<DType> out_dtypes;
  std::vector<std::string> names;
  Tree tree;
  Shape shape, out_shape;
};

Definition make(Dice& dice) {
  Definition d;
  d.op = static_cast<Operator>(dice.between(0, 4));
  d.shape = random_shape(dice, 6, 3000);
  const int inputs = dice.between(1, 3);
  for (int k = 0; k < inputs; ++k) {
    const DType dtype = dice.dtype();
    d.in_params += fmt::format("{}{} x{}", k == 0 ? "" : ", ", name_of(dtype), k);
    d.inputs.push_back(
        random_array(dice, dtype, k == 0 ? d.shape : random_operand_shape(dice, d.shape)));
    d.names.push_back(as_integer(dtype, fmt::format("x{}", k)));
  }
  if (dice.chance(30)) d.names.push_back("((long long)_J % 5)");
  if (dice.chance(30)) d.names.push_back("((long long)_i % 3)");
  if (dice.chance(20)) d.names.push_back("((long long)_j % 4)");
  d.tree = Tree::random(dice, d.names.size(), 2);

  const int count = d.shape.count();
  if (dice.chance(75)) {
    std::vector<int> axes;
    for (int axis = 0; axis < count; ++axis)
      if (dice.chance(50)) {
        d.axes.push_back(axis);
        axes.insert(axes.begin() + dice.between(0, static_cast<int>(axes.size())),
                    dice.chance(30) ? axis - count : axis);
      }
    d.how.axes = axes;
  } else {
    for (int axis = 0; axis < count; ++axis) d.axes.push_back(axis);
  }
  d.how.keepdims = dice.chance(30);
  for (int axis = 0; axis < count; ++axis) {
    const bool goes = std::ranges::find(d.axes, axis) != d.axes.end();
    if (!goes || d.how.keepdims) d.out_shape.push_back(goes ? 1 : d.shape[axis]);
  }

  const std::string value = d.tree.text(d.names);
  const bool pairs = d.op == Operator::kAffine || d.op == Operator::kFirstOfLargest;
  d.options.reduce_type = pairs ? "_Pair" : "long long";
  switch (d.op) {
    case Operator::kSum:
      d.map = value;
      d.reduce = "a + b";
      d.identity_value = {dice.between(-9, 9), 0};
      break;
    case Operator::kMin:
      d.map = value;
      d.reduce = "min(a, b)";
      d.identity_value = {1 << 20, 0};
      break;
    case Operator::kMax:
      d.map = value;
      d.reduce = "return a < b ? b : a;";
      d.identity_value = {-(1 << 20), 0};
      break;
    case Operator::kAffine:
      d.options.preamble = kAffinePreamble;
      d.map = fmt::format(
          "const long long v = {};\nreturn _Pair{{(v % 7 + 7) % 7 + 1, (v % 11 + 11) % 11}};",
          value);
      d.reduce = "_after(a, b)";
      d.identity_value = {1, 0};
      break;
    case Operator::kFirstOfLargest:
      d.options.preamble = kLargestPreamble;
      d.map = fmt::format("_Pair{{{}, _J}}", value);
      d.reduce = "_after(a, b)";
      d.identity_value = {-(1 << 20), -1};
      break;
  }
  std::int64_t reduced = 1;
  for (const int axis : d.axes) reduced *= d.shape[axis];
  if (dice.chance(60) || reduced == 0)
    d.identity = pairs ? fmt::format("_Pair{{{}, {}}}", d.identity_value.p, d.identity_value.q)
                       : fmt::format("{}", d.identity_value.p);
  const bool given = dice.chance(40);
  const int outputs = pairs ? 2 : dice.between(1, 2);
  for (int k = 0; k < outputs; ++k) {
    const DType dtype = dice.dtype();
    d.out_dtypes.push_back(dtype);
    d.out_params += fmt::format("{}{} z{}", k == 0 ? "" : ", ", name_of(dtype), k);
    d.post_map +=
        store_text(dtype, fmt::format("z{}", k),
                   fmt::format("(((long long){}) % 100)", pairs ? k == 0 ? "a.p" : "a.q" : "a")) +
        "\n";
    if (given) d.outputs.push_back(random_array(dice, dtype, d.out_shape));
  }
  return d;
}

/// Element by element, in order.
Accumulator reduce(const Definition& d, std::int64_t out) {
  Shape kept, gone;
  std::vector<int> kept_axes;
  for (int axis = 0; axis < d.shape.count(); ++axis) {
    const bool goes = std::ranges::find(d.axes, axis) != d.axes.end();
    (goes ? gone : kept).push_back(d.shape[axis]);
    if (!goes) kept_axes.push_back(axis);
  }
  const std::vector<std::int64_t> outer = coordinates_of(out, kept);
  std::optional<Accumulator> total;
  if (d.identity) total = d.identity_value;
  for (std::int64_t step = 0; step < element_count(gone); ++step) {
    const std::vector<std::int64_t> inner = coordinates_of(step, gone);
    std::vector<std::int64_t> at(static_cast<std::size_t>(d.shape.count()));
    for (std::size_t k = 0; k < kept_axes.size(); ++k)
      at[static_cast<std::size_t>(kept_axes[k])] = outer[k];
    for (std::size_t k = 0; k < d.axes.size(); ++k)
      at[static_cast<std::size_t>(d.axes[k])] = inner[k];
    std::int64_t linear = 0;
    for (int axis = 0; axis < d.shape.count(); ++axis)
      linear = linear * d.shape[axis] + at[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> values;
    for (const RandomArray& input : d.inputs) values.push_back(input.broadcast_at(at));
    for (std::size_t k = d.inputs.size(); k < d.names.size(); ++k)
      values.push_back(d.names[k].find("_J") != std::string::npos   ? step % 5
                       : d.names[k].find("_i") != std::string::npos ? out % 3
                                                                    : linear % 4);
    const std::int64_t v = d.tree.value(values);
    Accumulator mapped{v, 0};
    if (d.op == Operator::kAffine) mapped = {(v % 7 + 7) % 7 + 1, (v % 11 + 11) % 11};
    if (d.op == Operator::kFirstOfLargest) mapped = {v, step};
    total = total ? combine(d.op, *total, mapped) : mapped;
  }
  return *total;
}

std::string describe(const Definition& d) {
  std::string text = fmt::format(
      "in: {}\nout: {}\nmap: {}\nreduce: {}\npost_map: {}identity: {}\nshape {} to {}\n",
      d.in_params, d.out_params, d.map, d.reduce, d.post_map, d.identity.value_or("none"),
      to_text(d.shape), to_text(d.out_shape));
  for (const RandomArray& input : d.inputs)
    text += fmt::format("input {} strides {}\n", to_text(input.host.shape()),
                        to_text(input.host.strides()));
  return text;
}

void try_definitions(const DefinitionBatch& batch) {
  WARN("seed " << batch.seed << ", " << batch.count << " definitions");
  Dice dice(batch.seed);
  for (int number = 0; number < batch.count; ++number) {
    const Definition d = make(dice);
    INFO("seed " << batch.seed << ", definition " << number << "\n" << describe(d));
    const ReductionKernel kernel{{.in = d.in_params,
                                  .out = d.out_params,
                                  .map = d.map,
                                  .reduce = d.reduce,
                                  .post_map = d.post_map,
                                  .identity = d.identity,
                                  .name = "random",
                                  .options = d.options}};
    std::vector<Argument> arguments;
    for (const RandomArray& input : d.inputs) arguments.emplace_back(input.device);
    for (const RandomArray& output : d.outputs) arguments.emplace_back(output.device);
    const std::vector<Array> results = kernel.call(stream(), arguments, d.how);
    REQUIRE(results.size() == d.out_dtypes.size());
    std::vector<Array> wanted;
    for (const DType dtype : d.out_dtypes) wanted.push_back(Array::on_host(dtype, d.out_shape));
    for (std::int64_t out = 0; out < element_count(d.out_shape); ++out) {
      const Accumulator a = reduce(d, out);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const bool pairs = d.op == Operator::kAffine || d.op == Operator::kFirstOfLargest;
        store_integer((pairs && k == 1 ? a.q : a.p) % 100, d.out_dtypes[k],
                      wanted[k].data() + static_cast<std::size_t>(out) * size_of(d.out_dtypes[k]));
      }
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Array got = to_host(results[k], stream());
      REQUIRE(got.shape() == d.out_shape);
      const bool equal = std::memcmp(got.data(), wanted[k].data(), got.bytes()) == 0;
      CHECK(equal);
    }
  }
}

TEST_CASE("Random reductions agree with their evaluator, in order") {
  for (const DefinitionBatch& batch : definition_batches(kSeed)) try_definitions(batch);
}

}  // namespace
}  // namespace kernelbatch
