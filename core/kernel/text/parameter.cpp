#include "core/kernel/text/parameter.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

struct Word {
  std::string_view text;
  std::size_t column = 0;
};

[[noreturn]] void fail(std::string_view text, std::string_view what, std::size_t column,
                       std::string_view message) {
  throw SpecError(fmt::format("{}: {}\n  {}\n  {:>{}}", what, message, text, "^", column + 1));
}

std::vector<Word> words_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Word> words;
  for (std::size_t k = begin; k < end;) {
    const std::size_t word = text.find_first_not_of(" \t\r\n", k);
    if (word == std::string_view::npos || word >= end) break;
    const std::size_t stop = std::min(text.find_first_of(" \t\r\n", word), end);
    words.push_back({text.substr(word, stop - word), word});
    k = stop;
  }
  return words;
}

Parameter parse_one(std::string_view text, std::string_view what, std::size_t begin,
                    std::size_t end) {
  std::vector<Word> words = words_of(text, begin, end);
  if (words.empty()) fail(text, what, begin, "a parameter is missing here");
  Parameter parameter;
  for (const auto& [qualifier, is_set] :
       {std::pair{"raw", &parameter.is_raw}, std::pair{"_non_const", &parameter.is_non_const}})
    if (words.size() > 2 && words[0].text == qualifier) {
      *is_set = true;
      words.erase(words.begin());
    }
  if (words.size() == 1)
    fail(text, what, words[0].column,
         fmt::format("'{}' has no name: expected [raw] TYPE NAME", words[0].text));
  if (words.size() == 3 && !parameter.is_raw && !parameter.is_non_const)
    fail(text, what, words[0].column,
         fmt::format("unknown qualifier '{}': only 'raw' is known", words[0].text));
  if (words.size() > 2)
    fail(text, what, words[2].column, "too many words: expected [raw] TYPE NAME");
  if (parameter.is_non_const && !parameter.is_raw && what == "in_params")
    fail(text, what, words[0].column,
         "_non_const is of raw arrays: what changes element by element is an output");
  const Word type = words[0];
  const Word name = words[1];
  parameter.type = type.text;
  parameter.name = name.text;
  if (!is_identifier(name.text))
    fail(text, what, name.column, fmt::format("'{}' is not a name", name.text));
  if (name.text == "i" || name.text == "n" || name.text[0] == '_')
    fail(text, what, name.column,
         fmt::format("the name '{}' is reserved (i, n and names that begin with _)", name.text));
  if (type.text.size() == 1 && is_identifier(type.text) && type.text != "_") return parameter;
  parameter.dtype = dtype_named(type.text);
  if (!parameter.dtype)
    fail(text, what, type.column,
         fmt::format("unknown type '{}'{}", type.text, suggestion(type.text, dtype_names())));
  return parameter;
}

}  // namespace

std::vector<Parameter> parse_parameters(std::string_view text, std::string_view what) {
  std::vector<Parameter> parameters;
  if (trim(text).empty()) return parameters;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parameters.push_back(parse_one(text, what, begin, end));
    begin = end + 1;
  }
  return parameters;
}

void require_distinct(const std::vector<Parameter>& in, const std::vector<Parameter>& out) {
  std::set<std::string> seen;
  for (const auto* list : {&in, &out})
    for (const Parameter& parameter : *list)
      if (!seen.insert(parameter.name).second)
        throw SpecError(fmt::format("the parameter name '{}' is used twice", parameter.name));
}

void require_written(const std::vector<Parameter>& out, std::string_view text,
                     std::string_view preamble, std::string_view kernel) {
  if (mentions(preamble, "define") || mentions(preamble, "include")) return;
  for (const Parameter& parameter : out)
    if (!mentions(text, parameter.name))
      throw SpecError(fmt::format("'{}': nothing writes the output '{}'", kernel, parameter.name));
}

void require_kernel_name(std::string_view name) {
  if (!is_identifier(name)) throw SpecError(fmt::format("invalid kernel name '{}'", name));
}

}  // namespace kernelbatch
