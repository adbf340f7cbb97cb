#include "core/kernel/text/formal_parameter.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "core/kernel/text/formal_type.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

/// Index of the token after the bracket that closes the one at `open`; the end where none does.
std::size_t after_closing(const Tokens& tokens, std::size_t open, std::string_view opening,
                          std::string_view closing) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    if (tokens[k] == opening) ++depth;
    if (tokens[k] == closing && --depth == 0) return k + 1;
  }
  return tokens.size();
}

/// Commas outside every bracket part the tokens.
std::vector<Tokens> split_at_commas(std::span<const std::string> tokens) {
  std::vector<Tokens> parts;
  int depth = 0;
  for (const std::string& token : tokens) {
    if (parts.empty()) parts.emplace_back();
    if (token == "<" || token == "(" || token == "[" || token == "{") ++depth;
    if (token == ">" || token == ")" || token == "]" || token == "}") --depth;
    if (token == "," && depth == 0)
      parts.emplace_back();
    else
      parts.back().push_back(token);
  }
  return parts;
}

/// One function of the text: its name, its template's parameters, and its own.
struct Declaration {
  std::string name;
  Tokens template_parameters;
  std::vector<Tokens> parameters;
};

/// The name of a template parameter: the last word before a default value.
std::string template_parameter_name(const Tokens& tokens) {
  std::string name;
  for (const std::string& token : tokens) {
    if (token == "=") break;
    name = token;
  }
  return name;
}

std::vector<Declaration> declarations_in(const Tokens& tokens) {
  // Between the word and the function's name may stand words with arguments of their own.
  constexpr std::array<std::string_view, 6> kAttributes{"__launch_bounds__", "__cluster_dims__",
                                                        "__maxnreg__",       "__block_size__",
                                                        "__attribute__",     "alignas"};
  std::vector<Declaration> found;
  Tokens template_parameters;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k] == "template" && k + 1 < tokens.size() && tokens[k + 1] == "<") {
      const std::size_t end = after_closing(tokens, k + 1, "<", ">");
      template_parameters.clear();
      for (const Tokens& part :
           split_at_commas(std::span(tokens).subspan(k + 2, end > k + 3 ? end - k - 3 : 0)))
        template_parameters.push_back(template_parameter_name(part));
      k = end - 1;
    } else if (tokens[k] == ";" || tokens[k] == "{" || tokens[k] == "}") {
      template_parameters.clear();
    } else if (tokens[k] == "__global__") {
      std::size_t open = k + 1;
      while (open < tokens.size() && tokens[open] != "(" && tokens[open] != ";") ++open;
      while (open < tokens.size() && tokens[open] == "(" &&
             std::find(kAttributes.begin(), kAttributes.end(), tokens[open - 1]) !=
                 kAttributes.end()) {
        open = after_closing(tokens, open, "(", ")");
        while (open < tokens.size() && tokens[open] != "(" && tokens[open] != ";") ++open;
      }
      if (open >= tokens.size() || tokens[open] != "(") continue;
      const std::size_t end = after_closing(tokens, open, "(", ")");
      Declaration declaration{tokens[open - 1], template_parameters, {}};
      declaration.parameters =
          split_at_commas(std::span(tokens).subspan(open + 1, end > open + 2 ? end - open - 2 : 0));
      if (declaration.parameters == std::vector<Tokens>{{"void"}}) declaration.parameters.clear();
      found.push_back(std::move(declaration));
      k = end - 1;
    }
  }
  return found;
}

}  // namespace

std::optional<std::vector<FormalParameter>> find_parameters(std::string_view source,
                                                            std::string_view entry) {
  const Tokens wanted = tokens_of(entry);
  const auto open = std::find(wanted.begin(), wanted.end(), "<");
  if (open == wanted.begin()) return std::nullopt;
  const std::string& name = *(open - 1);
  std::vector<Tokens> arguments;
  if (open != wanted.end() && wanted.back() == ">")
    arguments = split_at_commas({std::to_address(open) + 1, wanted.data() + wanted.size() - 1});

  const Tokens tokens = tokens_of(source);
  const Declaration* match = nullptr;
  const std::vector<Declaration> declarations = declarations_in(tokens);
  for (const Declaration& declaration : declarations) {
    if (declaration.name != name) continue;
    if (declaration.template_parameters.empty() != arguments.empty()) continue;
    // Overloads, or branches of an #if: which one is compiled is not known here.
    if (match != nullptr && match->parameters != declaration.parameters) return std::nullopt;
    match = &declaration;
  }
  if (match == nullptr) return std::nullopt;
  TypeNames names{{}, tokens};
  for (std::size_t k = 0; k < match->template_parameters.size(); ++k)
    names.bound[match->template_parameters[k]] = k < arguments.size() ? arguments[k] : Tokens{"?"};
  std::vector<FormalParameter> parameters;
  for (const Tokens& parameter : match->parameters)
    parameters.push_back(understand_parameter(parameter, names));
  return parameters;
}

std::vector<std::string> kernel_names(std::string_view source) {
  std::vector<std::string> names;
  for (const Declaration& declaration : declarations_in(tokens_of(source)))
    if (declaration.template_parameters.empty() &&
        std::find(names.begin(), names.end(), declaration.name) == names.end())
      names.push_back(declaration.name);
  return names;
}

}  // namespace kernelbatch
