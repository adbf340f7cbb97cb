#include "core/kernel/text/signature.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.hpp"
#include "core/kernel/text/formal_type.hpp"

namespace kernelbatch {
namespace {

/// Index of the token after the bracket that closes the one at `open`; the end if none does. Nested
/// brackets of other kinds are skipped: `>` within parentheses does not close a `<`.
std::size_t after_closing(std::span<const Token> tokens, std::size_t open) {
  const std::string_view opening = tokens[open].text;
  const std::string_view closing = opening == "<"   ? ">"
                                   : opening == "(" ? ")"
                                   : opening == "[" ? "]"
                                                    : "}";
  for (std::size_t k = open + 1; k < tokens.size();) {
    const std::string_view text = tokens[k].text;
    if (text == closing) return k + 1;
    const bool nests = text == "(" || text == "[" || text == "{" || (text == "<" && opening == "<");
    k = nests ? after_closing(tokens, k) : k + 1;
  }
  return tokens.size();
}

/// Splits the tokens at commas outside brackets.
std::vector<std::vector<Token>> split_at_commas(std::span<const Token> tokens) {
  std::vector<std::vector<Token>> parts;
  if (!tokens.empty()) parts.emplace_back();
  for (std::size_t k = 0; k < tokens.size();) {
    const std::string_view text = tokens[k].text;
    if (text == ",") {
      parts.emplace_back();
      ++k;
      continue;
    }
    const bool opens = text == "<" || text == "(" || text == "[" || text == "{";
    const std::size_t end = opens ? after_closing(tokens, k) : k + 1;
    for (; k < end; ++k) parts.back().push_back(tokens[k]);
  }
  return parts;
}

/// The tokens between the bracket at `open` and its closing bracket; `end` is the index after that.
std::span<const Token> inside(std::span<const Token> tokens, std::size_t open, std::size_t end) {
  const bool is_closed = end > open + 1 && tokens[end - 1].text != tokens[open].text &&
                         (tokens[end - 1].text == ">" || tokens[end - 1].text == ")");
  return tokens.subspan(open + 1, end - open - (is_closed ? 2 : 1));
}

TemplateParameter template_parameter(const std::vector<Token>& tokens) {
  TemplateParameter parameter;
  std::size_t end = 0;
  while (end < tokens.size() && tokens[end].text != "=") ++end;
  parameter.has_default = end < tokens.size();
  parameter.is_type =
      !tokens.empty() && (tokens[0].text == "class" || tokens[0].text == "typename");
  if (end > 1 && is_identifier(tokens[end - 1].text)) parameter.name = tokens[end - 1].text;
  return parameter;
}

/// Index of the `(` of the parameters of a function whose `__global__` is at `k`; nothing if there
/// is none.
std::optional<std::size_t> parameter_list(std::span<const Token> tokens, std::size_t k) {
  // Attributes with arguments may precede the function's name.
  constexpr std::array<std::string_view, 6> kAttributes{"__launch_bounds__", "__cluster_dims__",
                                                        "__maxnreg__",       "__block_size__",
                                                        "__attribute__",     "alignas"};
  for (++k; k < tokens.size() && tokens[k].text != ";"; ++k) {
    if (tokens[k].text != "(") continue;
    const bool is_attribute =
        std::find(kAttributes.begin(), kAttributes.end(), tokens[k - 1].text) != kAttributes.end();
    if (!is_attribute) return k;
    k = after_closing(tokens, k) - 1;
  }
  return std::nullopt;
}

std::vector<std::string> texts_of(std::span<const Token> tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.emplace_back(token.text);
  return texts;
}

bool have_same_parameters(const KernelSignature& a, const KernelSignature& b) {
  return std::equal(
      a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
      [](const auto& left, const auto& right) { return texts_of(left) == texts_of(right); });
}

}  // namespace

std::vector<KernelSignature> kernel_signatures(const std::vector<Token>& all) {
  std::vector<Token> tokens;
  for (const Token& token : all)
    if (!token.in_directive) tokens.push_back(token);
  std::vector<KernelSignature> found;
  KernelSignature next;  // what is known of a declaration that may be a kernel's
  bool has_begun = false;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string_view text = tokens[k].text;
    if (text == ";" || text == "{" || text == "}") {
      next = {};
      has_begun = false;
      continue;
    }
    if (!has_begun) next.begin = tokens[k].at;
    has_begun = true;
    if (text == "template" && k + 1 < tokens.size() && tokens[k + 1].text == "<") {
      const std::size_t end = after_closing(tokens, k + 1);
      next.templates.clear();
      for (const auto& part : split_at_commas(inside(tokens, k + 1, end)))
        next.templates.push_back(template_parameter(part));
      next.head_end = tokens[end - 1].at;
      k = end - 1;
    } else if (text == "__global__") {
      const auto open = parameter_list(tokens, k);
      if (!open) continue;
      const std::size_t end = after_closing(tokens, *open);
      next.name = tokens[*open - 1].text;
      next.parameters = split_at_commas(inside(tokens, *open, end));
      if (next.parameters.size() == 1 && texts_of(next.parameters[0]) == Tokens{"void"})
        next.parameters.clear();
      found.push_back(std::move(next));
      next = {};
      has_begun = false;
      k = end - 1;
    }
  }
  return found;
}

std::optional<std::vector<FormalParameter>> find_parameters(std::string_view source,
                                                            std::string_view entry) {
  const std::vector<Token> wanted = read_tokens(entry);
  const auto open = std::find_if(wanted.begin(), wanted.end(),
                                 [](const Token& token) { return token.text == "<"; });
  if (open == wanted.begin()) return std::nullopt;
  const std::string_view name = (open - 1)->text;
  std::vector<std::vector<Token>> arguments;
  if (open != wanted.end() && wanted.back().text == ">")
    arguments = split_at_commas({std::to_address(open) + 1, wanted.data() + wanted.size() - 1});

  const std::vector<Token> tokens = read_tokens(source);
  const std::vector<KernelSignature> signatures = kernel_signatures(tokens);
  const KernelSignature* match = nullptr;
  for (const KernelSignature& signature : signatures) {
    if (signature.name != name) continue;
    if (signature.templates.empty() != arguments.empty()) continue;
    // Overloads, or branches of an #if: the compiled one is not known here.
    if (match != nullptr && !have_same_parameters(*match, signature)) return std::nullopt;
    match = &signature;
  }
  if (match == nullptr) return std::nullopt;
  TypeNames names{.source = texts_of(tokens)};
  for (std::size_t k = 0; k < match->templates.size(); ++k)
    names.bound[match->templates[k].name] =
        k < arguments.size() ? texts_of(arguments[k]) : Tokens{"?"};
  std::vector<FormalParameter> parameters;
  for (const auto& parameter : match->parameters)
    parameters.push_back(understand_parameter(texts_of(parameter), names));
  return parameters;
}

std::vector<std::string> kernel_names(std::string_view source) {
  std::vector<std::string> names;
  for (const KernelSignature& signature : kernel_signatures(read_tokens(source)))
    if (signature.templates.empty() &&
        std::find(names.begin(), names.end(), signature.name) == names.end())
      names.emplace_back(signature.name);
  return names;
}

}  // namespace kernelbatch
