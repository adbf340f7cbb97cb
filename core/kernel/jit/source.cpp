#include "core/kernel/jit/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/text/formal_type.hpp"

namespace kernelbatch {
namespace {

/// The last declaration of the entry: earlier ones have no body.
KernelSignature find_entry(const std::vector<Token>& tokens, const std::string& entry) {
  std::vector<KernelSignature> signatures = kernel_signatures(tokens);
  const auto found = std::find_if(signatures.rbegin(), signatures.rend(),
                                  [&](const auto& each) { return each.name == entry; });
  if (found == signatures.rend())
    throw SpecError(fmt::format("the source has no function '{}'", entry));
  return std::move(*found);
}

/// The text with names of template parameters, which are added to `templates`, in place of `auto`.
std::string name_autos(const std::string& source, const KernelSignature& entry,
                       std::vector<TemplateParameter>& templates, const std::string& name) {
  std::string text = source, added;
  for (const auto& parameter : entry.parameters) {
    for (const Token& token : parameter) {
      if (token.text != "auto") continue;
      constexpr std::size_t kMostOfTwoDigits = 100;
      if (templates.size() >= kMostOfTwoDigits)
        throw SpecError(fmt::format("'{}' has more than {} template parameters and autos",
                                    entry.name, kMostOfTwoDigits));
      // The name has four letters like `auto`: columns are unchanged.
      const std::string type = fmt::format("_A{:02}", templates.size());
      text.replace(token.at, type.size(), type);
      added += (added.empty() ? "class " : ", class ") + type;
      templates.push_back({.name = type});
    }
  }
  if (added.empty()) return text;
  if (entry.head_end) return text.insert(*entry.head_end, ", " + added);
  const std::size_t at = entry.begin;
  const std::size_t line_begin = source.rfind('\n', at) + 1;  // npos + 1 = 0
  const auto line =
      1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return text.insert(at, fmt::format("\ntemplate <{}>\n#line {} \"{}\"\n{}", added, line, name,
                                     std::string(at - line_begin, ' ')));
}

}  // namespace

JitSource read_jit_source(const std::string& source, const std::string& entry,
                          const std::string& name) {
  const KernelSignature signature = find_entry(read_tokens(source), entry);
  JitSource result;
  result.templates = signature.templates;
  result.text = name_autos(source, signature, result.templates, name);

  const std::vector<Token> tokens = read_tokens(result.text);
  TypeNames names{.source = tokens_of(result.text)};
  for (const TemplateParameter& each : result.templates)
    names.free.push_back(each.is_type ? each.name : "");
  for (const auto& parameter : find_entry(tokens, entry).parameters) {
    Tokens texts;
    for (const Token& token : parameter) texts.emplace_back(token.text);
    result.parameters.push_back(understand_parameter(texts, names));
  }
  return result;
}

}  // namespace kernelbatch
