#include "core/inline/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/reader.hpp"
#include "core/verify/input_file.hpp"
#include "core/verify/input_source.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

/// Files of `reference: {file: …}`: one, or one per output.
std::vector<std::pair<std::string, HiddenArray>> read_reference_files(
    const YamlNode& reference, const std::string& job_folder) {
  std::vector<std::pair<std::string, HiddenArray>> values;
  const auto add = [&](const std::string& name, const YamlNode& node) {
    InputSpec spec;
    spec.name = "reference";
    spec.kind = InputKind::kFile;
    spec.value = read_scalar(node, "file");
    spec.place = node.place;
    InputPath path = split_input_path(spec.value.text);
    path.file = find_input_file(spec, job_folder);
    if (const YamlNode* dataset = reference.find("dataset"))
      path.member = read_text(*dataset, "dataset");
    with_place(node.place, "reference", [&] {
      const auto read = read_input_file(path);
      const Array* array = std::get_if<Array>(&read);
      if (array == nullptr) throw SpecError("a sparse matrix cannot be a reference");
      std::string chosen = name;
      if (chosen.empty())
        chosen = path.member.empty() ? path.file.stem().string()
                                     : path.member.substr(path.member.rfind('/') + 1);
      values.emplace_back(chosen, HiddenArray(contiguous(*array)));
    });
  };
  const YamlNode& files = *reference.find("file");
  if (!files.is_mapping()) {
    add("", files);
    return values;
  }
  for (std::size_t k = 0; k < files.keys.size(); ++k) add(files.keys[k].text, files.children[k]);
  return values;
}

}  // namespace

std::string inline_reference(const InlineSpec& spec) {
  if (spec.reference.is_null()) return "";
  const YamlNode* variant = spec.reference.find("variant");
  if (variant == nullptr) return "reference";
  std::vector<std::string> names;
  for (const InlineVariant& each : spec.variants) names.push_back(each.name);
  const std::string name = read_text(*variant, "variant");
  if (std::ranges::find(names, name) == names.end())
    fail_at(variant->place,
            fmt::format("there is no variant '{}'{}", name, suggestion(name, names)));
  return name;
}

InlineReference read_reference(const InlineSpec& spec, const NamedValues& facts,
                               const std::string& job_folder) {
  InlineReference reference;
  const YamlNode& node = spec.reference;
  if (node.is_null()) return reference;
  if (const YamlNode* values = node.find("values")) {
    reference.kind = InlineReference::Kind::kValues;
    for (std::size_t k = 0; k < values->keys.size(); ++k)
      reference.values.emplace_back(
          values->keys[k].text, HiddenArray(read_values(values->children[k], std::nullopt, facts)));
  } else if (node.find("file") != nullptr) {
    reference.kind = InlineReference::Kind::kValues;
    reference.values = read_reference_files(node, job_folder);
    reference.is_unnamed = !node.find("file")->is_mapping();
  } else if (const YamlNode* variant = node.find("variant")) {
    reference.kind = InlineReference::Kind::kVariant;
    reference.variant = read_text(*variant, "variant");
  } else {
    reference.kind = InlineReference::Kind::kCpp;
    reference.body = read_text(*node.find("cpp"), "cpp");
    if (const YamlNode* preamble = node.find("preamble"))
      reference.preamble = read_text(*preamble, "preamble");
  }
  return reference;
}

}  // namespace kernelbatch
