#include "core/inline/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/inline/tensor_map.hpp"
#include "core/job/expression.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/reader.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

bool is_number(const std::string& text) {
  try {
    parse_number(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string InlineOptions::text(std::string_view key, std::string otherwise) const {
  const YamlNode* found = find(key);
  return found == nullptr || found->is_null() ? std::move(otherwise)
                                              : read_scalar(*found, key).text;
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

std::vector<ViewStep> InlineOptions::view_steps() const {
  std::vector<std::pair<std::string, Scalar>> steps;
  for (std::size_t k = 0; k < node_.keys.size(); ++k) {
    const std::string& name = node_.keys[k].text;
    if (name != "of") steps.emplace_back(name, read_scalar_or_list(node_.children[k], name));
  }
  return read_view_steps(steps, facts_);
}

namespace {

/// The bytes of a struct.
std::string from_hex(const YamlNode& node) {
  const std::string text = read_text(node, "bytes");
  std::string bytes;
  for (std::size_t k = 0; k + 1 < text.size(); k += 2) {
    unsigned value = 0;
    const char* const end = text.data() + k + 2;
    if (std::from_chars(text.data() + k, end, value, 16).ptr != end) break;
    bytes += static_cast<char>(value);
  }
  if (text.empty() || 2 * bytes.size() != text.size())
    fail_at(node.place, "'bytes' must be pairs of hexadecimal digits");
  return bytes;
}

}  // namespace

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
  if (const YamlNode* null = node.find("null"); null != nullptr && node.keys.size() == 1) {
    argument.dtype = DType::kUInt64;
    return argument;
  }
  if (const YamlNode* bytes = node.find("bytes")) {
    expect_keys(node, "args", bytes_argument_keys());
    argument.bytes = from_hex(*bytes);
    return argument;
  }
  if (node.find("tensor_map") != nullptr) {
    argument.tensor_map = read_tensor_map(node, facts_);
    argument.array = argument.tensor_map->array;
    return argument;
  }
  expect_mapping(node, "args", key_names(view_keys()));
  const YamlNode* of = node.find("of");
  if (of == nullptr)
    fail_at(node.place,
            "an argument is a name, a number, {scalar: …, dtype: …}, {of: name, …}, "
            "{tensor_map: name, box: …}, {null} or {bytes: …}");
  argument.array = read_text(*of, "of");
  argument.steps = InlineOptions(node, facts_).view_steps();
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

InlineTexture InlineOptions::texture(const std::string& name) const {
  expect_keys(node_, name, texture_keys());
  InlineTexture texture;
  texture.name = name;
  texture.of = text("of", name);
  texture.channels = static_cast<int>(integer("channels").value_or(1));
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4)
    fail_at(node_.place, fmt::format("texture '{}': 'channels' must be 1, 2 or 4, not {}", name,
                                     texture.channels));
  if (const YamlNode* memory = find("memory"))
    texture.is_linear = read_choice<TextureStorage>(*memory, "memory") == TextureStorage::kLinear;
  if (const YamlNode* address = find("address")) {
    const std::vector<YamlNode> each =
        address->is_list() ? address->children : std::vector<YamlNode>(3, *address);
    if (each.size() > 3) fail_at(address->place, "'address' needs one to three modes");
    for (std::size_t axis = 0; axis < each.size(); ++axis)
      texture.sampling.address[axis] = read_choice<TextureAddress>(each[axis], "address");
  }
  if (const YamlNode* filter = find("filter"))
    texture.sampling.filter = read_choice<TextureFilter>(*filter, "filter");
  if (const YamlNode* read = find("read"))
    texture.sampling.read = read_choice<TextureRead>(*read, "read");
  texture.sampling.is_normalized = boolean("normalized", false);
  if (const YamlNode* border = find("border")) {
    const std::vector<Scalar> numbers = read_scalars(*border, "border");
    if (numbers.size() > 4) fail_at(border->place, "'border' has at most four numbers");
    for (std::size_t channel = 0; channel < numbers.size(); ++channel) {
      float value = 0;
      write_number(evaluate_number(numbers[channel], facts_), DType::kFloat32,
                   reinterpret_cast<std::byte*>(&value));
      texture.sampling.border[channel] = value;
    }
  }
  return texture;
}

std::vector<InlineTexture> InlineOptions::textures() const {
  std::vector<InlineTexture> textures;
  each_of("textures", [&](const std::string& name, const YamlNode& node) {
    textures.push_back(InlineOptions(node, facts_).texture(name));
  });
  return textures;
}

std::vector<InlineSurface> InlineOptions::surfaces() const {
  std::vector<InlineSurface> surfaces;
  each_of("surfaces", [&](const std::string& name, const YamlNode& node) {
    expect_keys(node, name, surface_keys());
    const InlineOptions options(node, facts_);
    surfaces.push_back(
        {name, options.text("of"), static_cast<int>(options.integer("channels").value_or(1))});
  });
  return surfaces;
}

std::vector<InlineGlobal> InlineOptions::globals() const {
  std::vector<InlineGlobal> globals;
  each_of("globals", [&](const std::string& name, const YamlNode& node) {
    globals.push_back({name, read_text(node, name)});
  });
  return globals;
}

std::vector<InlineAddress> InlineOptions::addresses() const {
  std::vector<InlineAddress> addresses;
  each_of("addresses", [&](const std::string& name, const YamlNode& node) {
    const std::string text = read_text(node, name);
    InlineAddress place{.array = name};
    const char* const end = text.data() + text.size();
    if (!text.starts_with("0x") || text.size() == 2 ||
        std::from_chars(text.data() + 2, end, place.address, 16).ptr != end)
      fail_at(node.place, fmt::format("'{}' is not an address: it begins with 0x", text));
    addresses.push_back(std::move(place));
  });
  return addresses;
}

void InlineOptions::each_of(std::string_view key, const EachEntry& body) const {
  const YamlNode* found = find(key);
  if (found == nullptr) return;
  expect_mapping(*found, key);
  for (std::size_t k = 0; k < found->keys.size(); ++k)
    body(found->keys[k].text, found->children[k]);
}

}  // namespace kernelbatch
