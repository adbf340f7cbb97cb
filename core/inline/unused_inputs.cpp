#include "core/inline/unused_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace kernelbatch {
namespace {

/// True if a word occurs in a text of any language: C++, a fusion, a size, a YAML list.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return true;
  }
  return false;
}

/// True if the word occurs anywhere in a mapping, a list or a text.
bool names(const YamlNode& node, const std::string& identifier) {
  return has_word(node.text, identifier) ||
         std::ranges::any_of(node.keys,
                             [&](const auto& key) { return has_word(key.text, identifier); }) ||
         std::ranges::any_of(node.children,
                             [&](const YamlNode& child) { return names(child, identifier); });
}

}  // namespace

void require_inputs_used(const InlineSpec& spec, const std::vector<InputSpec>& inputs) {
  for (const InputSpec& input : inputs) {
    const bool is_used =
        std::ranges::any_of(
            spec.variants,
            [&](const InlineVariant& variant) { return names(variant.options, input.name); }) ||
        std::ranges::any_of(spec.outputs,
                            [&](const auto& output) { return names(output.second, input.name); }) ||
        names(spec.reference, input.name) ||
        std::ranges::any_of(inputs, [&](const InputSpec& other) {
          return has_word(other.value.text, input.name) ||
                 std::ranges::any_of(other.options, [&](const auto& option) {
                   return has_word(option.second.text, input.name);
                 });
        });
    if (!is_used) fail_at(input.place, fmt::format("input '{}': no variant uses it", input.name));
  }
}

}  // namespace kernelbatch
