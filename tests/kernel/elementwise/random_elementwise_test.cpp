// Random elementwise definitions compared with an independent evaluator.
#include <cstring>

#include "core/kernel/elementwise/kernel.hpp"
#include "tests/kernel/random_definition.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using namespace test;

constexpr std::uint64_t kSeed = 20260101;

/// One definition, its arguments and the expected results.
struct Definition {
  std::string in_params, out_params, operation, notes;
  std::vector<RandomArray> inputs;
  std::vector<bool> is_raw;
  std::vector<RandomArray> outputs;  ///< given ones
  std::vector<DType> out_dtypes;
  std::vector<Tree> trees;
  std::vector<std::string> names;
  Shape shape;
  std::optional<std::int64_t> scalar;
  bool uses_axes = false;
};

Definition make(Dice& dice) {
  Definition d;
  d.shape = random_shape(dice, 6, 300);
  const int inputs = dice.between(1, 4);
  bool has_full = false;
  std::map<std::string, DType> placeholders;
  for (int k = 0; k < inputs; ++k) {
    const bool raw = dice.chance(15) && element_count(d.shape) > 0;
    const bool is_last = k + 1 == inputs;
    Shape shape = random_operand_shape(dice, d.shape);
    if (raw) shape = random_shape(dice, 3, 40);
    if (raw && element_count(shape) == 0) shape = {4};
    if (is_last && !has_full && !raw) shape = d.shape;
    std::string type;
    DType dtype = dice.dtype();
    if (dice.chance(50)) {
      type = dice.pick<std::string>({"T", "U", "V"});
      const auto [found, is_new] = placeholders.try_emplace(type, dtype);
      dtype = found->second;
    } else {
      type = name_of(dtype);
    }
    d.in_params += fmt::format("{}{}{} x{}", k == 0 ? "" : ", ", raw ? "raw " : "", type, k);
    d.inputs.push_back(random_array(dice, dtype, shape));
    d.is_raw.push_back(raw);
    has_full = has_full || (!raw && shape == d.shape);
    const std::string name = fmt::format("x{}", k);
    if (!raw) {
      d.names.push_back(as_integer(dtype, name));
      continue;
    }
    const std::string linear = fmt::format("{}[(i * 3 + 1) % {}.size()]", name, name);
    d.names.push_back(as_integer(dtype, linear));
  }
  // Some parameter must determine the shape.
  if (!has_full) {
    d.in_params += ", int8 whole";
    d.inputs.push_back(random_array(dice, DType::kInt8, d.shape));
    d.is_raw.push_back(false);
    d.names.push_back("((long long)whole)");
  }
  if (dice.chance(30)) {
    d.scalar = dice.between(-4, 4);
    d.in_params += ", int32 s";
    d.names.push_back("((long long)s)");
  }
  d.names.push_back("(i % 7)");
  d.names.push_back("(n % 5)");
  d.uses_axes = dice.chance(30) && d.shape.count() > 0;
  if (d.uses_axes)
    for (int axis = 0; axis < d.shape.count(); ++axis)
      d.names.push_back(dice.chance(50) ? fmt::format("(long long)i{}", axis)
                                        : fmt::format("(long long)_ind.get()[{}]", axis));
  const bool given = dice.chance(50);
  const int outputs = dice.between(1, 3);
  for (int k = 0; k < outputs; ++k) {
    const DType dtype = dice.dtype();
    d.out_dtypes.push_back(dtype);
    d.out_params += fmt::format("{}{} z{}", k == 0 ? "" : ", ", name_of(dtype), k);
    d.trees.push_back(Tree::random(dice, d.names.size(), 2));
    d.operation += fmt::format("const long long v{} = {};\n", k, d.trees.back().text(d.names));
    if (given) d.outputs.push_back(random_array(dice, dtype, d.shape));
  }
  for (int k = 0; k < outputs; ++k)
    d.operation += store_text(d.out_dtypes[static_cast<std::size_t>(k)], fmt::format("z{}", k),
                              fmt::format("v{}", k)) +
                   "\n";
  return d;
}

/// Values of the tree's names at one element.
std::vector<std::int64_t> sight(const Definition& d, std::int64_t i) {
  const std::vector<std::int64_t> at = coordinates_of(i, d.shape);
  std::vector<std::int64_t> values;
  for (std::size_t k = 0; k < d.inputs.size(); ++k) {
    const RandomArray& input = d.inputs[k];
    values.push_back(
        d.is_raw[k] ? input.at(coordinates_of((i * 3 + 1) % input.host.size(), input.host.shape()))
                    : input.broadcast_at(at));
  }
  if (d.scalar) values.push_back(*d.scalar);
  values.push_back(i % 7);
  values.push_back(element_count(d.shape) % 5);
  if (d.uses_axes) values.insert(values.end(), at.begin(), at.end());
  return values;
}

std::string describe(const Definition& d) {
  std::string text = fmt::format("in: {}\nout: {}\n{}shape {}\n", d.in_params, d.out_params,
                                 d.operation, to_text(d.shape));
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
    const ElementwiseKernel kernel{
        {.in = d.in_params, .out = d.out_params, .operation = d.operation, .name = "random"}};
    std::vector<Argument> arguments;
    for (const RandomArray& input : d.inputs) arguments.emplace_back(input.device);
    if (d.scalar) arguments.emplace_back(static_cast<int>(*d.scalar));
    for (const RandomArray& output : d.outputs) arguments.emplace_back(output.device);
    const std::vector<Array> results = kernel.call(stream(), arguments);
    REQUIRE(results.size() == d.out_dtypes.size());
    std::vector<Array> wanted;
    for (const DType dtype : d.out_dtypes) wanted.push_back(Array::on_host(dtype, d.shape));
    for (std::int64_t i = 0; i < element_count(d.shape); ++i) {
      const std::vector<std::int64_t> values = sight(d, i);
      for (std::size_t k = 0; k < wanted.size(); ++k)
        store_integer(d.trees[k].value(values), d.out_dtypes[k],
                      wanted[k].data() + static_cast<std::size_t>(i) * size_of(d.out_dtypes[k]));
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Array got = to_host(results[k], stream());
      REQUIRE(got.shape() == d.shape);
      const bool equal = std::memcmp(got.data(), wanted[k].data(), got.bytes()) == 0;
      CHECK(equal);
      if (d.outputs.empty()) continue;
      // Nothing outside the view has changed: after restoring the view, the memory equals the
      // original.
      const RandomArray& output = d.outputs[k];
      const Array whole =
          to_host(same_view(output.base, output.base,
                            output.device.with_layout(
                                output.device.data() - (output.host.data() - output.base.data()),
                                output.base.shape(), output.base.strides())),
                  stream());
      const Array view = same_view(output.host, output.base, whole);
      for (std::int64_t i = 0; i < element_count(d.shape); ++i) {
        const std::vector<std::int64_t> at = coordinates_of(i, d.shape);
        std::int64_t offset = 0;
        for (int axis = 0; axis < d.shape.count(); ++axis)
          offset += at[static_cast<std::size_t>(axis)] * view.strides()[axis];
        std::memcpy(view.data() + offset, output.host.data() + offset, size_of(view.dtype()));
      }
      const bool rest_is_whole = std::memcmp(whole.data(), output.base.data(), whole.bytes()) == 0;
      CHECK(rest_is_whole);
    }
  }
}

TEST_CASE("Random definitions agree with their evaluator") {
  for (const DefinitionBatch& batch : definition_batches(kSeed)) try_definitions(batch);
}

}  // namespace
}  // namespace kernelbatch
