#include "core/kernel/text/formal_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/array/shape.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

using Kind = FormalParameter::Kind;

constexpr std::array<std::string_view, 9> kQualifiers{
    "const",    "volatile",          "__restrict__", "__restrict", "restrict",
    "register", "__grid_constant__", "typename",     "struct"};

constexpr std::array<std::string_view, 8> kArithmetic{"unsigned", "signed", "char",  "short",
                                                      "int",      "long",   "float", "double"};

bool contains(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// "const float* x2" from its tokens.
std::string spell(const Tokens& tokens) {
  std::string text;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string& token = tokens[k];
    const bool sticks = k == 0 ||
                        contains(std::array{"*", "&", ",", ">", ":", "[", "]", "<"}, token) ||
                        contains(std::array{"<", ":", "["}, tokens[k - 1]);
    text += (sticks ? "" : " ") + token;
  }
  return text;
}

/// True if the source itself declares a name: `typedef double half;`, `struct complex`.
bool is_declared(const std::string& name, const Tokens& source) {
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (source[k] != name) continue;
    if (k > 0 && contains(std::array{"struct", "class", "union", "enum", "define"}, source[k - 1]))
      return true;
    if (k > 0 && source[k - 1] == "using" && k + 1 < source.size() && source[k + 1] == "=")
      return true;
    if (k + 1 < source.size() && source[k + 1] == ";") {
      std::size_t begin = k;
      while (begin > 0 && source[begin - 1] != ";" && source[begin - 1] != "}") --begin;
      if (source[begin] == "typedef") return true;
    }
  }
  return false;
}

std::optional<DType> arithmetic_type(const Tokens& words) {
  const auto count = [&](std::string_view word) {
    return std::count(words.begin(), words.end(), word);
  };
  if (count("float") > 0) return words.size() == 1 ? std::optional(DType::kFloat32) : std::nullopt;
  if (count("double") > 0) return words.size() == 1 ? std::optional(DType::kFloat64) : std::nullopt;
  const bool is_unsigned = count("unsigned") > 0;
  if (count("char") > 0) return is_unsigned ? DType::kUInt8 : DType::kInt8;
  if (count("short") > 0) return is_unsigned ? DType::kUInt16 : DType::kInt16;
  if (count("long") > 0) return is_unsigned ? DType::kUInt64 : DType::kInt64;
  return is_unsigned ? DType::kUInt32 : DType::kInt32;
}

/// Removes `std::`, `cuda::std::`, `kernelbatch::` and the like from the front of a type.
Tokens without_namespaces(const Tokens& type) {
  Tokens rest = type;
  while (rest.size() > 2 && rest[0] == ":" && rest[1] == ":")
    rest.erase(rest.begin(), rest.begin() + 2);
  while (rest.size() > 3 && rest[1] == ":" && rest[2] == ":" &&
         contains(std::array{"std", "cuda", "kernelbatch", "thrust"}, rest[0]))
    rest.erase(rest.begin(), rest.begin() + 3);
  return rest;
}

Tokens without_qualifiers(const Tokens& type) {
  Tokens rest;
  for (const std::string& token : type)
    if (!contains(kQualifiers, token)) rest.push_back(token);
  return rest;
}

std::optional<DType> dtype_of(const Tokens& type) {
  const Tokens words = without_namespaces(without_qualifiers(type));
  if (words.empty()) return std::nullopt;
  if (std::all_of(words.begin(), words.end(),
                  [](const std::string& word) { return contains(kArithmetic, word); }))
    return arithmetic_type(words);
  if (words.size() == 4 && words[0] == "complex" && words[1] == "<")
    return words[2] == "float"    ? std::optional(DType::kComplex64)
           : words[2] == "double" ? std::optional(DType::kComplex128)
                                  : std::nullopt;
  return words.size() == 1 ? dtype_of_cpp_name(words[0]) : std::nullopt;
}

/// The arguments of `name<…>`, each as tokens; nothing if the type is not such a template.
std::optional<std::vector<Tokens>> template_arguments(const Tokens& type, std::string_view name) {
  if (type.size() < 3 || type[0] != name || type[1] != "<" || type.back() != ">")
    return std::nullopt;
  std::vector<Tokens> parts(1);
  int depth = 0;
  for (std::size_t k = 2; k + 1 < type.size(); ++k) {
    if (type[k] == "<") ++depth;
    if (type[k] == ">") --depth;
    if (type[k] == "," && depth == 0)
      parts.emplace_back();
    else
      parts.back().push_back(type[k]);
  }
  return parts;
}

std::optional<std::int64_t> integer_of(const Tokens& tokens) {
  std::int64_t value = 0;
  if (tokens.size() != 1) return std::nullopt;
  std::string digits = tokens[0];
  std::erase(digits, '\'');  // 1'000
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// Number of axes; nothing if out of range for arrays.
std::optional<int> rank_of(const Tokens& tokens) {
  const auto rank = integer_of(tokens);
  return rank && *rank >= 0 && *rank <= kMaxAxes ? std::optional(static_cast<int>(*rank))
                                                 : std::nullopt;
}

/// Determines the dtype or the free template parameter of an element's or a scalar's type. Returns
/// false if it is neither.
bool understand_element(const Tokens& type, const TypeNames& names, FormalParameter& parameter) {
  const Tokens words = without_qualifiers(type);
  const auto free =
      std::find(names.free.begin(), names.free.end(), words.size() == 1 ? words[0] : "");
  if (free != names.free.end() && !free->empty())
    parameter.bound = static_cast<int>(free - names.free.begin());
  else
    parameter.dtype = dtype_of(type);
  return parameter.bound >= 0 || parameter.dtype;
}

void understand_view(const std::vector<Tokens>& arguments, const TypeNames& names,
                     FormalParameter& parameter) {
  if (arguments.size() < 2 || arguments.size() > 3) return;
  // A named number of axes is known only to the compiler.
  const bool has_named_rank = arguments[1].size() == 1 && is_identifier(arguments[1][0]);
  const auto rank = has_named_rank ? -1 : rank_of(arguments[1]);
  const bool is_plain = arguments.size() == 2 || arguments[2] == Tokens{"false"};
  if (!rank || (!is_plain && arguments[2] != Tokens{"true"})) return;
  if (!understand_element(arguments[0], names, parameter)) return;
  parameter.kind = Kind::kView;
  parameter.rank = *rank;
  parameter.wants_contiguous = !is_plain;
}

void understand_mdspan(const std::vector<Tokens>& arguments, const TypeNames& names,
                       FormalParameter& parameter) {
  if (arguments.size() < 2 || arguments.size() > 3) return;
  const Tokens extents = without_namespaces(arguments[1]);
  const auto all_dynamic = template_arguments(extents, "dextents");
  const auto each = template_arguments(extents, "extents");
  if (!all_dynamic && !each) return;
  const auto index = dtype_of((all_dynamic ? *all_dynamic : *each)[0]);
  if (!index || size_of(*index) < 4 || is_floating(*index)) return;
  if (all_dynamic) {
    const auto rank = all_dynamic->size() == 2 ? rank_of((*all_dynamic)[1]) : std::nullopt;
    if (!rank) return;
    parameter.fixed.assign(static_cast<std::size_t>(*rank), -1);
  } else {
    for (std::size_t k = 1; k < each->size(); ++k)
      parameter.fixed.push_back(integer_of((*each)[k]).value_or(-1));
  }
  if (arguments.size() == 3) {
    const Tokens layout = without_namespaces(arguments[2]);
    if (layout == Tokens{"layout_left"})
      parameter.layout = FormalParameter::Layout::kLeft;
    else if (layout == Tokens{"layout_stride"})
      parameter.layout = FormalParameter::Layout::kStride;
    else if (layout != Tokens{"layout_right"})
      return;
  }
  if (!understand_element(arguments[0], names, parameter)) return;
  parameter.kind = Kind::kMdspan;
  parameter.rank = static_cast<int>(parameter.fixed.size());
  parameter.index_bytes = size_of(*index);
}

void understand_pointer(const Tokens& type, const TypeNames& names, FormalParameter& parameter) {
  parameter.kind = Kind::kPointer;
  const Tokens words = without_namespaces(type);
  understand_element(type, names, parameter);
  parameter.is_plain_char = words == Tokens{"char"};
}

void understand_value(const Tokens& type, const TypeNames& names, FormalParameter& parameter) {
  const Tokens words = without_namespaces(type);
  if (words == Tokens{"cudaTextureObject_t"} || words == Tokens{"CUtexObject"}) {
    parameter.kind = Kind::kTexture;
  } else if (words == Tokens{"cudaSurfaceObject_t"} || words == Tokens{"CUsurfObject"}) {
    parameter.kind = Kind::kSurface;
  } else if (const auto view = template_arguments(words, "array_view")) {
    understand_view(*view, names, parameter);
  } else if (const auto span = template_arguments(words, "mdspan")) {
    understand_mdspan(*span, names, parameter);
  } else if (understand_element(type, names, parameter)) {
    parameter.kind = parameter.bound >= 0 ? Kind::kDeduced : Kind::kScalar;
    parameter.is_plain_char = words == Tokens{"char"};
  }
}

/// The type's tokens without the default value and the parameter's own name, if any. `stars` counts
/// pointers, including those written as brackets.
Tokens type_tokens(const Tokens& parameter, int& stars) {
  Tokens type;
  int depth = 0;
  for (std::size_t k = 0; k < parameter.size(); ++k) {
    const std::string& token = parameter[k];
    if (token == "=" && depth == 0) break;
    if (token == "<") ++depth;
    if (token == ">") --depth;
    if (token == "[" && depth == 0) {
      ++stars;
      break;
    }
    type.push_back(token);
  }
  type = without_qualifiers(type);
  const std::string last = type.empty() ? "" : type.back();
  const bool follows_type =
      type.size() > 1 && (is_identifier(type[type.size() - 2]) || type[type.size() - 2] == "*" ||
                          type[type.size() - 2] == ">");
  if (is_identifier(last) && follows_type && !contains(kArithmetic, last)) type.pop_back();
  while (!type.empty() && type.back() == "*") {
    ++stars;
    type.pop_back();
  }
  return type;
}

}  // namespace

FormalParameter understand_parameter(const Tokens& parameter, const TypeNames& names) {
  FormalParameter result;
  Tokens spelled;
  for (const std::string& token : parameter) {
    if (token == "=") break;
    spelled.push_back(token);
  }
  result.text = spell(spelled);
  int stars = 0;
  Tokens type;
  for (const std::string& token : type_tokens(parameter, stars)) {
    const auto bound = names.bound.find(token);
    if (bound != names.bound.end())
      type.insert(type.end(), bound->second.begin(), bound->second.end());
    else
      type.push_back(token);
  }
  type = without_qualifiers(type);
  for (; !type.empty() && type.back() == "*"; type.pop_back()) ++stars;  // T = float*
  const bool is_plain = std::none_of(type.begin(), type.end(), [&](const std::string& token) {
    return is_identifier(token) && !contains(names.free, token) && is_declared(token, names.source);
  });
  if (type.empty() || !is_plain) {
    if (stars > 0) result.kind = Kind::kPointer;
  } else if (stars > 1) {
    result.kind = Kind::kPointer;
  } else if (stars == 1) {
    understand_pointer(type, names, result);
  } else {
    understand_value(type, names, result);
  }
  // `const` before the first star or bracket applies to the elements.
  const auto star = std::ranges::find_if(
      spelled, [](const std::string& token) { return token == "*" || token == "["; });
  result.is_read_only = result.kind == Kind::kPointer && star != spelled.end() &&
                        std::find(spelled.begin(), star, "const") != star;
  return result;
}

}  // namespace kernelbatch
