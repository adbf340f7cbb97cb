#include "core/inline/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/expression.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/reader.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

Scalar scalar_of(const YamlNode& node, std::string_view what) {
  return read_scalar_or_list(node, what);
}

bool is_number(const std::string& text) {
  try {
    parse_number(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<std::string> InlineOptions::maybe_text(std::string_view key) const {
  const YamlNode* found = find(key);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return read_scalar(*found, key).text;
}

std::string InlineOptions::text(std::string_view key, std::string otherwise) const {
  return maybe_text(key).value_or(std::move(otherwise));
}

bool InlineOptions::boolean(std::string_view key, bool otherwise) const {
  const YamlNode* found = find(key);
  return found == nullptr ? otherwise : read_boolean(*found, key);
}

std::optional<std::int64_t> InlineOptions::integer(std::string_view key) const {
  const YamlNode* found = find(key);
  if (found == nullptr) return std::nullopt;
  return evaluate_integer(read_scalar(*found, key), facts_);
}

std::optional<std::vector<int>> InlineOptions::axes(std::string_view key) const {
  const YamlNode* found = find(key);
  if (found == nullptr || found->is_null()) return std::nullopt;
  if (found->is_scalar() && (found->text == "none" || found->text == "None")) return std::nullopt;
  std::vector<int> axes;
  for (const std::int64_t axis : evaluate_integers(scalar_of(*found, key), facts_, key)) {
    if (axis < -kMaxAxes || axis >= kMaxAxes)
      fail_at(found->place,
              fmt::format("axis {} is out of range: arrays have at most {} axes", axis, kMaxAxes));
    axes.push_back(static_cast<int>(axis));
  }
  return axes;
}

std::vector<std::string> InlineOptions::compiler_options() const {
  std::vector<std::string> options;
  const YamlNode* found = find("options");
  if (found == nullptr) return options;
  for (const Scalar& scalar : read_scalars(*found, "options")) {
    std::string option = scalar.text;
    for (const auto& [name, value] : facts_) {
      const std::string mark = "{" + name + "}";
      for (std::size_t at; (at = option.find(mark)) != std::string::npos;)
        option.replace(at, mark.size(), to_text(value));
    }
    options.push_back(std::move(option));
  }
  return options;
}

Dim3 InlineOptions::extents(std::string_view key) const {
  const YamlNode* found = find(key);
  if (found == nullptr) return {};
  std::vector<std::int64_t> numbers;
  if (found->is_list())
    for (const YamlNode& each : found->children)
      numbers.push_back(evaluate_integer(read_scalar(each, key), facts_));
  else
    numbers.push_back(evaluate_integer(read_scalar(*found, key), facts_));
  if (numbers.empty() || numbers.size() > 3)
    fail_at(found->place,
            fmt::format("'{}' needs one to three numbers, not {}", key, numbers.size()));
  Dim3 extents;
  std::uint32_t* const parts[] = {&extents.x, &extents.y, &extents.z};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] < 1 || numbers[k] > std::numeric_limits<std::int32_t>::max())
      fail_at(found->place,
              fmt::format("'{}' has {}: each must be from 1 to 2147483647", key, numbers[k]));
    *parts[k] = static_cast<std::uint32_t>(numbers[k]);
  }
  return extents;
}

LaunchShape InlineOptions::launch_shape() const {
  LaunchShape shape;
  shape.grid = extents("grid");
  shape.block = extents("block");
  // Limits of every CUDA device since compute capability 2.0, and of the host device.
  constexpr std::uint64_t kMaxThreads = 1024;
  constexpr std::uint32_t kMaxBlockDepth = 64;
  const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y;
  if (threads > kMaxThreads || threads * shape.block.z > kMaxThreads)
    fail_at(find("block")->place,
            fmt::format("a block of {} x {} x {} threads is too large: a block has at most {}",
                        shape.block.x, shape.block.y, shape.block.z, kMaxThreads));
  if (shape.block.z > kMaxBlockDepth)
    fail_at(find("block")->place, fmt::format("a block of depth {} is too large: it is at most {}",
                                              shape.block.z, kMaxBlockDepth));
  const std::int64_t shared = integer("shared_mem").value_or(0);
  if (shared < 0) fail_at(find("shared_mem")->place, "'shared_mem' must not be negative");
  shape.shared_bytes = static_cast<std::size_t>(shared);
  shape.cooperative = boolean("cooperative", false);
  shape.cluster = extents("cluster");
  return shape;
}

InlineArgument InlineOptions::argument(const YamlNode& node) const {
  InlineArgument argument;
  if (node.is_scalar()) {
    const Value* parameter = find_value(facts_, node.text);
    if (is_number(node.text) || parameter != nullptr)
      argument.number = evaluate_number(read_scalar(node, "args"), facts_);
    else if (is_identifier(node.text) ||
             (node.text.find('.') != std::string::npos &&
              node.text.find_first_of(" +-*/%^()") == std::string::npos))
      argument.array = node.text;
    else
      argument.number = evaluate_number(read_scalar(node, "args"), facts_);
    return argument;
  }
  expect_mapping(node, "args");
  if (const YamlNode* number = node.find("scalar")) {
    expect_keys(node, "args", scalar_argument_keys());
    argument.number = evaluate_number(read_scalar(*number, "scalar"), facts_);
    if (const YamlNode* dtype = node.find("dtype")) {
      argument.dtype = read_dtype(read_scalar(*dtype, "dtype"), facts_);
      std::byte ignored[16];
      with_place(number->place, "scalar",
                 [&] { write_number(argument.number, *argument.dtype, ignored); });
    }
    return argument;
  }
  expect_mapping(node, "args", key_names(view_keys()));
  const YamlNode* of = node.find("of");
  if (of == nullptr)
    fail_at(node.place, "an argument is a name, a number, {scalar: …, dtype: …} or {of: name, …}");
  argument.array = read_text(*of, "of");
  std::vector<std::pair<std::string, Scalar>> steps;
  for (std::size_t k = 0; k < node.keys.size(); ++k)
    if (node.keys[k].text != "of")
      steps.emplace_back(node.keys[k].text, scalar_of(node.children[k], node.keys[k].text));
  argument.steps = read_view_steps(steps, facts_);
  return argument;
}

std::optional<std::vector<InlineArgument>> InlineOptions::arguments() const {
  const YamlNode* found = find("args");
  if (found == nullptr) return std::nullopt;
  if (!found->is_list())
    fail_at(found->place,
            fmt::format("'args' must be a list of inputs, outputs and numbers, not {}",
                        describe(*found)));
  std::vector<InlineArgument> arguments;
  for (const YamlNode& each : found->children) arguments.push_back(argument(each));
  return arguments;
}

NamedValues InlineOptions::constants() const {
  NamedValues constants;
  const YamlNode* found = find("constants");
  if (found == nullptr) return constants;
  expect_mapping(*found, "constants");
  for (std::size_t k = 0; k < found->keys.size(); ++k) {
    const Number number =
        evaluate_number(read_scalar(found->children[k], found->keys[k].text), facts_);
    Value value;
    if (const auto* truth = std::get_if<bool>(&number))
      value = *truth;
    else if (const auto* integer = std::get_if<std::int64_t>(&number))
      value = *integer;
    else if (const auto* real = std::get_if<double>(&number))
      value = *real;
    else
      fail_at(found->children[k].place, "a constant must be a truth value, an integer or a real");
    constants.emplace_back(found->keys[k].text, value);
  }
  return constants;
}

std::vector<std::string> InlineOptions::texts(std::string_view key) const {
  std::vector<std::string> texts;
  if (const YamlNode* found = find(key))
    for (const Scalar& each : read_scalars(*found, key)) texts.push_back(each.text);
  return texts;
}

std::vector<InlineTexture> InlineOptions::textures() const {
  std::vector<InlineTexture> textures;
  const YamlNode* found = find("textures");
  if (found == nullptr) return textures;
  expect_mapping(*found, "textures");
  for (std::size_t k = 0; k < found->keys.size(); ++k) {
    const YamlNode& node = found->children[k];
    expect_keys(node, found->keys[k].text, texture_keys());
    const InlineOptions options(node, facts_);
    InlineTexture texture;
    texture.name = found->keys[k].text;
    texture.of = options.text("of", texture.name);
    texture.channels = static_cast<int>(options.integer("channels").value_or(1));
    if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4)
      fail_at(node.place, fmt::format("texture '{}': 'channels' must be 1, 2 or 4, not {}",
                                      texture.name, texture.channels));
    if (const YamlNode* memory = options.find("memory"))
      texture.is_linear = read_choice<TextureStorage>(*memory, "memory") == TextureStorage::kLinear;
    if (const YamlNode* address = options.find("address")) {
      const std::vector<YamlNode> each =
          address->is_list() ? address->children : std::vector<YamlNode>(3, *address);
      if (each.size() > 3) fail_at(address->place, "'address' needs one to three modes");
      for (std::size_t axis = 0; axis < each.size(); ++axis)
        texture.sampling.address[axis] = read_choice<TextureAddress>(each[axis], "address");
    }
    if (const YamlNode* filter = options.find("filter"))
      texture.sampling.filter = read_choice<TextureFilter>(*filter, "filter");
    if (const YamlNode* read = options.find("read"))
      texture.sampling.read = read_choice<TextureRead>(*read, "read");
    texture.sampling.is_normalized = options.boolean("normalized", false);
    if (const YamlNode* border = options.find("border")) {
      const std::vector<Scalar> numbers = read_scalars(*border, "border");
      if (numbers.size() > 4) fail_at(border->place, "'border' has at most four numbers");
      for (std::size_t channel = 0; channel < numbers.size(); ++channel) {
        float value = 0;
        write_number(evaluate_number(numbers[channel], facts_), DType::kFloat32,
                     reinterpret_cast<std::byte*>(&value));
        texture.sampling.border[channel] = value;
      }
    }
    textures.push_back(std::move(texture));
  }
  return textures;
}

std::vector<InlineSurface> InlineOptions::surfaces() const {
  std::vector<InlineSurface> surfaces;
  const YamlNode* found = find("surfaces");
  if (found == nullptr) return surfaces;
  expect_mapping(*found, "surfaces");
  for (std::size_t k = 0; k < found->keys.size(); ++k) {
    const YamlNode& node = found->children[k];
    expect_keys(node, found->keys[k].text, surface_keys());
    const InlineOptions options(node, facts_);
    surfaces.push_back({found->keys[k].text, options.text("of"),
                        static_cast<int>(options.integer("channels").value_or(1))});
  }
  return surfaces;
}

std::vector<InlineGlobal> InlineOptions::globals() const {
  std::vector<InlineGlobal> globals;
  const YamlNode* found = find("globals");
  if (found == nullptr) return globals;
  expect_mapping(*found, "globals");
  for (std::size_t k = 0; k < found->keys.size(); ++k)
    globals.push_back({found->keys[k].text, read_text(found->children[k], found->keys[k].text)});
  return globals;
}

}  // namespace kernelbatch
