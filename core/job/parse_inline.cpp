#include "core/job/parse_inline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error_list.hpp"
#include "core/base/text.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

void require_name(const YamlKey& key, std::string_view of) {
  if (!is_identifier(key.text))
    fail_at(key.place,
            fmt::format("'{}' is not {}'s name: letters, digits and '_' only", key.text, of));
}

/// A kernel's place in messages, and the kinds that it may have.
struct KernelRole {
  std::string title;  ///< "variant 'k'"
  SourcePlace place;
  bool is_step = false;
};

std::vector<std::string> kind_names(bool of_steps) {
  std::vector<std::string> names;
  for (const InlineKind& kind : inline_kinds())
    if (kind.may_be_step || !of_steps) names.emplace_back(kind.name);
  return names;
}

const InlineKind& read_kind(const YamlNode& node, const KernelRole& role) {
  const YamlNode* named = node.find("kind");
  if (named == nullptr && role.is_step) return inline_kind(VariantKind::kRaw);
  if (named == nullptr && node.find("steps") != nullptr) return inline_kind(VariantKind::kUnfused);
  const std::vector<std::string> names = kind_names(role.is_step);
  if (named == nullptr)
    fail_at(role.place, fmt::format("{} has no kind: one of {}", role.title, join(names)));
  const std::string name = read_choice(*named, "kind", names);
  return *std::ranges::find(inline_kinds(), name, &InlineKind::name);
}

InlineVariant parse_kernel(const std::string& name, const YamlNode& node, const KernelRole& role) {
  expect_mapping(node, role.is_step ? "steps" : name);
  const InlineKind& kind = read_kind(node, role);
  std::vector<std::string> known = key_names(kind.keys);
  known.insert(known.begin(), "kind");
  expect_mapping(node, name, known);
  for (const Key& option : kind.keys)
    if (option.is_required && node.find(option.name) == nullptr)
      fail_at(role.place,
              fmt::format("{} of kind {} needs '{}'", role.title, kind.name, option.name));
  if (kind.kind == VariantKind::kRaw &&
      (node.find("source") == nullptr) == (node.find("module") == nullptr))
    fail_at(role.place, fmt::format("{} needs either 'source' or 'module'", role.title));
  if (kind.kind == VariantKind::kImage && node.find("triton") == nullptr &&
      node.find("entry") == nullptr)
    fail_at(role.place, fmt::format("{} of kind image needs 'entry' or 'triton'", role.title));
  InlineVariant variant{name, kind.kind, {.kind = YamlNode::Kind::kMapping}, role.place};
  variant.options.place = node.place;
  for (std::size_t k = 0; k < node.keys.size(); ++k) {
    if (node.keys[k].text == "kind") continue;
    variant.options.keys.push_back(node.keys[k]);
    variant.options.children.push_back(node.children[k]);
  }
  return variant;
}

void parse_steps(InlineVariant& variant) {
  const YamlNode& steps = *variant.options.find("steps");
  if (!steps.is_list() || steps.children.empty())
    fail_at(steps.place, fmt::format("'steps' must be a list of kernels, not {}", describe(steps)));
  ErrorList errors;
  for (std::size_t k = 0; k < steps.children.size(); ++k)
    errors.attempt([&] {
      const YamlNode& step = steps.children[k];
      variant.steps.push_back(
          parse_kernel(fmt::format("{}_{}", variant.name, k + 1), step,
                       {fmt::format("step {} of variant '{}'", k + 1, variant.name), step.place,
                        /*is_step=*/true}));
    });
  if (const YamlNode* scratch = variant.options.find("scratch"))
    errors.attempt([&] {
      expect_mapping(*scratch, "scratch");
      for (std::size_t k = 0; k < scratch->keys.size(); ++k) {
        const YamlKey& key = scratch->keys[k];
        require_name(key, "a scratch array");
        expect_keys(scratch->children[k], key.text, scratch_array_keys());
      }
    });
  errors.raise();
}

InlineVariant parse_variant(const YamlKey& key, const YamlNode& node) {
  require_name(key, "a variant");
  if (key.text == "reference")
    fail_at(key.place, "'reference' is what variants are verified against: name it otherwise");
  InlineVariant variant =
      parse_kernel(key.text, node, {fmt::format("variant '{}'", key.text), key.place});
  if (variant.kind == VariantKind::kUnfused) parse_steps(variant);
  return variant;
}

/// A buffer: `{shape, dtype, fill}`, or a view `{of: w, slice: …}` of one.
void check_output(const YamlKey& key, const YamlNode& node) {
  require_name(key, "an output");
  expect_mapping(node, key.text);
  expect_keys(node, key.text, node.find("of") != nullptr ? view_keys() : buffer_keys());
  if (node.find("of") == nullptr && node.find("shape") == nullptr && node.find("fill") == nullptr)
    fail_at(key.place,
            fmt::format("output '{}' needs a shape (or 'fill' naming an input)", key.text));
}

YamlNode parse_reference(const YamlNode& node) {
  if (node.is_null() || (node.is_scalar() && node.text == "none")) return {};
  static const std::vector<std::string> kSources = key_names(inline_reference_keys().first(4));
  if (!node.is_mapping())
    fail_at(node.place, fmt::format("'reference' must be none or a mapping with one of {}, not {}",
                                    join(kSources), describe(node)));
  expect_keys(node, "reference", inline_reference_keys());
  const auto count = std::ranges::count_if(
      kSources, [&](const std::string& source) { return node.find(source) != nullptr; });
  if (count != 1)
    fail_at(node.place, fmt::format("'reference' needs exactly one of {}", join(kSources)));
  if (const YamlNode* values = node.find("values")) expect_mapping(*values, "values");
  return node;
}

}  // namespace

bool is_inline(const YamlNode& mapping) {
  const YamlNode* workload = mapping.find("workload");
  return workload != nullptr && workload->is_scalar() && workload->text == "inline";
}

InlineSpec parse_inline(const YamlNode& mapping) {
  InlineSpec spec;
  const YamlNode* variants = mapping.find("variants");
  if (variants == nullptr)
    fail_at(mapping.place, "'workload: inline' needs 'variants': a mapping of names to kernels");
  ErrorList errors;
  const auto read_each = [&](const YamlNode& node, std::string_view what, const auto& body) {
    if (!errors.attempt([&] { expect_mapping(node, what); })) return;
    for (std::size_t k = 0; k < node.keys.size(); ++k)
      errors.attempt([&] { body(node.keys[k], node.children[k]); });
  };
  read_each(*variants, "variants", [&](const YamlKey& key, const YamlNode& node) {
    spec.variants.push_back(parse_variant(key, node));
  });
  if (const YamlNode* outputs = mapping.find("outputs"))
    read_each(*outputs, "outputs", [&](const YamlKey& key, const YamlNode& node) {
      check_output(key, node);
      spec.outputs.emplace_back(key.text, node);
    });
  if (const YamlNode* reference = mapping.find("reference"))
    errors.attempt([&] { spec.reference = parse_reference(*reference); });
  errors.raise();
  return spec;
}

YamlNode to_node(const InlineSpec& spec) {
  const auto mapping = [] { return YamlNode{.kind = YamlNode::Kind::kMapping}; };
  const auto add = [](YamlNode& to, std::string key, YamlNode value) {
    to.keys.push_back({std::move(key), {}});
    to.children.push_back(std::move(value));
  };
  YamlNode node = mapping(), variants = mapping(), outputs = mapping();
  for (const InlineVariant& variant : spec.variants) {
    YamlNode each = mapping();
    add(each, "kind",
        {.kind = YamlNode::Kind::kScalar, .text = std::string(inline_kind(variant.kind).name)});
    for (std::size_t k = 0; k < variant.options.keys.size(); ++k)
      add(each, variant.options.keys[k].text, variant.options.children[k]);
    add(variants, variant.name, std::move(each));
  }
  for (const auto& [name, output] : spec.outputs) add(outputs, name, output);
  if (!outputs.children.empty()) add(node, "outputs", std::move(outputs));
  add(node, "variants", std::move(variants));
  add(node, "reference",
      spec.reference.is_null() ? YamlNode{.kind = YamlNode::Kind::kScalar, .text = "none"}
                               : spec.reference);
  return node;
}

}  // namespace kernelbatch
