#include "core/kernel/jit/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

/// A word or one punctuation character, and where it begins.
struct Token {
  std::string_view text;
  std::size_t at;
};
using Tokens = std::vector<Token>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Comments, literals and preprocessor lines are left out.
Tokens read_tokens(std::string_view text) {
  Tokens tokens;
  bool begins_line = true;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (c == '\n') {
      begins_line = true;
      ++k;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++k;
    } else if (text.substr(k, 2) == "//") {
      k = std::min(text.find('\n', k), text.size());
    } else if (text.substr(k, 2) == "/*") {
      const std::size_t end = text.find("*/", k + 2);
      k = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '#' && begins_line) {
      do {
        k = std::min(text.find('\n', k + 1), text.size());
      } while (k < text.size() && text[k - 1] == '\\');
    } else if (c == '"' || c == '\'') {
      begins_line = false;
      ++k;
      while (k < text.size() && text[k] != c) k += text[k] == '\\' ? 2 : 1;
      ++k;
    } else {
      begins_line = false;
      const std::size_t begin = k++;
      if (is_word(c))
        while (k < text.size() && is_word(text[k])) ++k;
      tokens.push_back({text.substr(begin, k - begin), begin});
    }
  }
  return tokens;
}

/// Index of the bracket that closes the one at `open`, or the end.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  const auto opens = [](std::string_view t) {
    return t == "(" || t == "<" || t == "[" || t == "{";
  };
  const auto closes = [](std::string_view t) {
    return t == ")" || t == ">" || t == "]" || t == "}";
  };
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    if (opens(tokens[k].text)) ++depth;
    if (closes(tokens[k].text) && --depth == 0) return k;
  }
  return tokens.size();
}

/// The parts between commas of [begin, end), none for an empty range.
std::vector<Tokens> parts(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::vector<Tokens> result;
  if (begin < end) result.emplace_back();
  for (std::size_t k = begin; k < end; ++k) {
    const std::string_view text = tokens[k].text;
    if (text == ",") {
      result.emplace_back();
      continue;
    }
    const std::size_t last =
        text == "<" || text == "(" || text == "[" || text == "{" ? closing(tokens, k) : k;
    // A bracket that nothing closes takes the rest.
    for (; k < end && k < last; ++k) result.back().push_back(tokens[k]);
    if (k < end) result.back().push_back(tokens[k]);
  }
  return result;
}

/// Where the entry stands: its declaration's tokens are [first, close].
struct Place {
  std::size_t head = 0, head_close = 0;  ///< `<` and `>` of its template<…>; equal = none
  std::size_t first = 0;                 ///< of the declaration
  std::size_t open = 0, close = 0;       ///< of its parameter list
};

std::optional<Place> find_entry(const Tokens& tokens, const std::string& entry) {
  Place place;
  bool is_kernel = false;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    const std::string_view text = tokens[k].text;
    if (text == ";" || text == "}" || text == "{") {
      place = {};
      place.first = k + 1;
      is_kernel = false;
    } else if (text == "template" && tokens[k + 1].text == "<") {
      place.head = k + 1;
      place.head_close = closing(tokens, k + 1);
      k = place.head_close;
    } else if (text == "__global__") {
      is_kernel = true;
    } else if (is_kernel && text == entry && tokens[k + 1].text == "(") {
      place.open = k + 1;
      place.close = closing(tokens, k + 1);
      return place;
    }
  }
  return std::nullopt;
}

JitTemplateParameter template_parameter(const Tokens& tokens) {
  JitTemplateParameter parameter;
  std::size_t end = 0;
  while (end < tokens.size() && tokens[end].text != "=") ++end;
  parameter.has_default = end < tokens.size();
  parameter.is_type =
      !tokens.empty() && (tokens[0].text == "class" || tokens[0].text == "typename");
  if (end > 1) parameter.name = tokens[end - 1].text;
  return parameter;
}

std::optional<DType> dtype_of_name(const std::string& name) {
  static const std::map<std::string, DType> kNames = [] {
    std::map<std::string, DType> names;
    for (std::size_t k = 0; k < kDTypeCount; ++k) {
      const DTypeInfo& each = info(static_cast<DType>(k));
      names.emplace(each.c_name, each.dtype);
    }
    for (const auto& [text, dtype] : std::initializer_list<std::pair<const char*, DType>>{
             {"long", DType::kInt64},
             {"unsigned", DType::kUInt32},
             {"unsigned int", DType::kUInt32},
             {"unsigned long", DType::kUInt64},
             {"char", DType::kInt8},
             {"int8_t", DType::kInt8},
             {"int16_t", DType::kInt16},
             {"int32_t", DType::kInt32},
             {"int64_t", DType::kInt64},
             {"uint8_t", DType::kUInt8},
             {"uint16_t", DType::kUInt16},
             {"uint32_t", DType::kUInt32},
             {"uint64_t", DType::kUInt64},
             {"size_t", DType::kUInt64},
             {"ptrdiff_t", DType::kInt64},
             {"int64", DType::kInt64},
             {"uint64", DType::kUInt64},
             {"complex < float >", DType::kComplex64},
             {"complex < double >", DType::kComplex128}})
      names.emplace(text, dtype);
    return names;
  }();
  const auto found = kNames.find(name);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

/// A type without cv, restrict and the namespace: "float", "complex < float >", "X".
std::string bare_type(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string type;
  for (std::size_t k = begin; k < end; ++k) {
    const std::string_view text = tokens[k].text;
    if (text == "const" || text == "volatile" || text == "__restrict__" || text == "restrict" ||
        text == "__grid_constant__" || text == "kernelbatch" || text == "std" || text == ":")
      continue;
    type += (type.empty() ? "" : " ") + std::string(text);
  }
  return type;
}

JitParameter function_parameter(const Tokens& tokens,
                                const std::vector<JitTemplateParameter>& templates) {
  JitParameter parameter;
  for (const Token& token : tokens)
    parameter.text += (parameter.text.empty() ? "" : " ") + std::string(token.text);
  std::size_t end = tokens.size();
  while (end > 0 && tokens[end - 1].text == "]") {  // T x[]
    parameter.kind = JitParameter::Kind::kPointer;
    end = end >= 3 ? end - 2 : 0;
  }
  // The last word is the name, unless the parameter has none.
  if (end > 1 && is_word(tokens[end - 1].text[0]) &&
      (tokens[end - 2].text != ":" && !dtype_of_name(bare_type(tokens, 0, end))))
    --end;
  const auto bind = [&](const std::string& type) {
    for (std::size_t k = 0; k < templates.size(); ++k)
      if (templates[k].is_type && templates[k].name == type) parameter.bound = static_cast<int>(k);
    if (parameter.bound < 0) parameter.dtype = dtype_of_name(type);
  };
  std::string type = bare_type(tokens, 0, end);
  if (type.ends_with(" *")) {
    parameter.kind = JitParameter::Kind::kPointer;
    type.resize(type.size() - 2);
  }
  bind(type);
  if (parameter.kind == JitParameter::Kind::kPointer) return parameter;
  if (parameter.bound >= 0) {
    parameter.kind = JitParameter::Kind::kDeduced;
  } else if (parameter.dtype) {
    parameter.kind = JitParameter::Kind::kScalar;
  } else if (type.starts_with("array_view < ")) {
    parameter.kind = JitParameter::Kind::kView;
    std::size_t open = 0;
    while (tokens[open].text != "<") ++open;
    const std::vector<Tokens> arguments = parts(tokens, open + 1, closing(tokens, open));
    if (!arguments.empty()) bind(bare_type(arguments[0], 0, arguments[0].size()));
  }
  return parameter;
}

}  // namespace

JitSource read_jit_source(const std::string& source, const std::string& entry,
                          const std::string& name) {
  const Tokens tokens = read_tokens(source);
  const auto place = find_entry(tokens, entry);
  if (!place) throw SpecError(fmt::format("the source has no function '{}'", entry));
  JitSource result;
  if (place->head_close > place->head)
    for (const Tokens& each : parts(tokens, place->head + 1, place->head_close))
      result.templates.push_back(template_parameter(each));

  // `auto` becomes a name of four letters, too: columns stay.
  result.text = source;
  std::string added;
  for (std::size_t k = place->open; k < place->close; ++k) {
    if (tokens[k].text != "auto") continue;
    constexpr std::size_t kMostOfTwoDigits = 100;
    if (result.templates.size() >= kMostOfTwoDigits)
      throw SpecError(fmt::format("'{}' has more than {} template parameters and autos", entry,
                                  kMostOfTwoDigits));
    const std::string type = fmt::format("_A{:02}", result.templates.size());
    result.text.replace(tokens[k].at, 4, type);
    added += (added.empty() ? "class " : ", class ") + type;
    result.templates.push_back({type});
  }
  if (!added.empty()) {
    if (place->head_close > place->head) {
      result.text.insert(tokens[place->head_close].at, ", " + added);
    } else {
      const std::size_t at = tokens[place->first].at;
      const std::size_t line_begin = source.rfind('\n', at) + 1;  // npos + 1 = 0
      const auto line =
          1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      result.text.insert(at, fmt::format("\ntemplate <{}>\n#line {} \"{}\"\n{}", added, line, name,
                                         std::string(at - line_begin, ' ')));
    }
  }
  // The changed text is tokenized again: its names are the template's.
  const Tokens changed = read_tokens(result.text);
  const auto now = find_entry(changed, entry);
  if (!now) throw SpecError(fmt::format("the source has no function '{}'", entry));
  for (const Tokens& each : parts(changed, now->open + 1, now->close)) {
    if (each.size() == 1 && each[0].text == "void") continue;
    result.parameters.push_back(function_parameter(each, result.templates));
  }
  return result;
}

}  // namespace kernelbatch
