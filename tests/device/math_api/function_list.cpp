#include "tests/device/math_api/function_list.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/base/reduced_float.hpp"
#include "core/base/text.hpp"
#include "math_api_embedded.hpp"

namespace kernelbatch::test {
namespace {

using Kind = ListType::Kind;
constexpr std::array<ListType, 20> kTypes{{
    {"f", "float", 4, 1, Kind::kFloat},
    {"d", "double", 8, 1, Kind::kFloat},
    {"h", "__half", 2, 1, Kind::kFloat},
    {"b", "__nv_bfloat16", 2, 1, Kind::kFloat},
    {"f2", "float2", 8, 2, Kind::kFloat},
    {"d2", "double2", 16, 2, Kind::kFloat},
    {"h2", "__half2", 4, 2, Kind::kFloat},
    {"b2", "__nv_bfloat162", 4, 2, Kind::kFloat},
    {"c", "signed char", 1, 1, Kind::kInteger},
    {"uc", "unsigned char", 1, 1, Kind::kInteger},
    {"s", "short", 2, 1, Kind::kInteger},
    {"us", "unsigned short", 2, 1, Kind::kInteger},
    {"i", "int", 4, 1, Kind::kInteger},
    {"u", "unsigned", 4, 1, Kind::kInteger},
    {"l", "long", 8, 1, Kind::kInteger},
    {"ll", "long long", 8, 1, Kind::kInteger},
    {"ull", "unsigned long long", 8, 1, Kind::kInteger},
    {"q", "bool", 1, 1, Kind::kInteger},
    {"order", "int", 4, 1, Kind::kOrder},
    {"shift", "int", 4, 1, Kind::kShift},
}};

const ListType* find_type(std::string_view word) {
  for (const ListType& type : kTypes)
    if (type.word == word) return &type;
  return nullptr;
}

/// Expands `{a,b}c` to `ac` and `bc`; several braces vary together if they have equally many words
/// and `is_paired` is set, otherwise independently.
std::vector<std::string> expanded(const std::string& text) {
  const std::size_t open = text.find('{');
  if (open == std::string::npos) return {text};
  const std::size_t close = text.find('}', open);
  std::vector<std::string> all;
  for (const std::string& word : split(text.substr(open + 1, close - open - 1), ','))
    for (std::string& rest : expanded(text.substr(close + 1)))
      all.push_back(text.substr(0, open) + word + rest);
  return all;
}

/// The rows of a line: if it begins with a brace, that one and the first other brace with as many
/// words vary together.
std::vector<std::string> rows_of(const std::string& line) {
  if (!line.starts_with('{')) return expanded(line);
  const std::size_t close = line.find('}');
  const std::vector<std::string> types = split(line.substr(1, close - 1), ',');
  std::string rest = line.substr(close + 1);
  std::size_t open = 0, end = 0;
  std::vector<std::string> names;
  while ((open = rest.find('{', end)) != std::string::npos) {
    end = rest.find('}', open);
    names = split(rest.substr(open + 1, end - open - 1), ',');
    if (names.size() == types.size()) break;
  }
  if (open == std::string::npos) throw std::runtime_error("no names for the types of: " + line);
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < types.size(); ++k)
    for (std::string& row :
         expanded(types[k] + rest.substr(0, open) + names[k] + rest.substr(end + 1)))
      rows.push_back(std::move(row));
  return rows;
}

/// An argument: `out f`, `f[]`, or a text in which words that are types denote inputs.
std::string argument_text(ListedFunction& function, std::string_view argument) {
  if (argument.starts_with("out ")) {
    function.outputs.push_back(find_type(argument.substr(4)));
    return fmt::format("&o{}[i]", function.outputs.size() - 1);
  }
  if (argument.ends_with("[]")) {
    const ListType* const type = find_type(argument.substr(0, argument.size() - 2));
    const std::size_t number = function.inputs.size();
    function.inputs.push_back(type);
    function.before +=
        fmt::format("const {0} v{1}[3] = {{a{1}[i], a{1}[(i + 1) % n], a{1}[(i + 2) % n]}}; ",
                    type->c_type, number);
    return fmt::format("v{}", number);
  }
  std::string text;
  for (std::size_t k = 0; k < argument.size();) {
    std::size_t end = k;
    while (end < argument.size() &&
           (std::isalnum(static_cast<unsigned char>(argument[end])) != 0 || argument[end] == '_'))
      ++end;
    const std::string_view word = argument.substr(k, end - k);
    const ListType* const type = find_type(word);
    if (type != nullptr) {
      text += fmt::format("a{}[i]", function.inputs.size());
      function.inputs.push_back(type);
    } else if (word.empty()) {
      text += argument[end++];
    } else {
      text += word;
    }
    k = end;
  }
  return text;
}

ListedFunction function_of(const std::string& section, const std::string& row) {
  const std::vector<std::string> columns = split(row, ';');
  ListedFunction function;
  function.section = section;
  function.signature = trim(columns[0]);
  function.bound = columns.size() > 1 ? std::string(trim(columns[1])) : "own";
  if (columns.size() > 2) {
    const std::string domain(trim(columns[2]));
    if (domain.starts_with("sm_"))
      function.target = domain;
    else if (std::sscanf(domain.c_str(), "[%lf, %lf]", &function.low, &function.high) != 2)
      throw std::runtime_error("no domain: " + row);
  }
  const std::size_t space = function.signature.find(' ');
  const std::size_t open = function.signature.find('(');
  const std::size_t close = function.signature.rfind(')');
  function.name = function.signature.substr(space + 1, open - space - 1);
  const std::string result = function.signature.substr(0, space);
  function.returns_void = result == "void";
  if (!function.returns_void) {
    function.outputs.push_back(find_type(result));
    if (function.outputs[0] == nullptr) throw std::runtime_error("no type: " + row);
  }
  std::string arguments;
  for (const std::string& argument :
       split(function.signature.substr(open + 1, close - open - 1), ','))
    arguments += (arguments.empty() ? "" : ", ") + argument_text(function, trim(argument));
  function.call = function.name + "(" + arguments + ")";
  return function;
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::array<double, 26> kEdges{0.0,
                                        -0.0,
                                        1.0,
                                        -1.0,
                                        0.5,
                                        -0.5,
                                        1.5,
                                        2.5,
                                        2.0,
                                        3.0,
                                        -2.0,
                                        0.25,
                                        10.0,
                                        65504.0,
                                        448.0,
                                        57344.0,
                                        464.0,
                                        61440.0,
                                        8388608.0,
                                        2147483648.0,
                                        -2147483648.0,
                                        4294967296.0,
                                        9223372036854775808.0,
                                        1e-40,
                                        1e-310,
                                        0.1};

template <class Float, class Bits>
Bits float_argument(std::uint64_t r, std::uint64_t s, double low, double high) {
  constexpr Bits kOne = 1;
  constexpr int kMantissa = std::numeric_limits<Float>::digits - 1;
  if (low != high) {
    const double part = static_cast<double>(s >> 11) * 0x1p-53;
    double value = low + (high - low) * part;
    if ((r & 1u) != 0 && high > 0) value = std::max(low, high * std::exp2(-60 * part));
    return std::bit_cast<Bits>(static_cast<Float>(std::min(std::max(value, low), high)));
  }
  switch (r % 8) {
    case 0: {
      const std::size_t edge = (r >> 8) % (kEdges.size() + 3);
      if (edge < kEdges.size()) return std::bit_cast<Bits>(static_cast<Float>(kEdges[edge]));
      const Float infinity = std::numeric_limits<Float>::infinity();
      if (edge == kEdges.size()) return std::bit_cast<Bits>(infinity);
      if (edge == kEdges.size() + 1) return std::bit_cast<Bits>(-infinity);
      return std::bit_cast<Bits>(std::numeric_limits<Float>::quiet_NaN());
    }
    case 1:  // small multiples of a quarter
      return std::bit_cast<Bits>(static_cast<Float>(static_cast<double>(s % 4001) / 4 - 500));
    case 2:
    case 3:
    case 4: {  // close to 1
      const double value = (1 + static_cast<double>(s >> 12) * 0x1p-52) *
                           std::exp2(static_cast<int>((r >> 8) % 41) - 20);
      return std::bit_cast<Bits>(static_cast<Float>((r >> 20) % 2 == 0 ? value : -value));
    }
    case 5:  // denormals
      return static_cast<Bits>(s) & static_cast<Bits>((kOne << kMantissa) - 1);
    default:
      return static_cast<Bits>(s);
  }
}

/// Makes a NaN quiet: signalling NaNs depend on the C library.
std::uint64_t quiet(const ListType& type, int bytes, std::uint64_t bits) {
  if (type.kind != Kind::kFloat) return bits;
  if (bytes == 4 && std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits))))
    return bits | 1u << 22;
  if (bytes == 8 && std::isnan(std::bit_cast<double>(bits))) return bits | std::uint64_t{1} << 51;
  return bits;
}

std::uint64_t argument_bits(const ListType& type, int bytes, std::uint64_t r, std::uint64_t s,
                            double low, double high) {
  if (type.kind == Kind::kOrder) return s % 8;
  if (type.kind == Kind::kShift)
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(s % 4401) - 2200);
  if (type.kind == Kind::kFloat && bytes == 4)
    return float_argument<float, std::uint32_t>(r, s, low, high);
  if (type.kind == Kind::kFloat && bytes == 8)
    return float_argument<double, std::uint64_t>(r, s, low, high);
  if (type.word == "q") return s & 1u;
  if (type.kind == Kind::kInteger && r % 4 == 0) {  // few bits, or almost none
    const std::uint64_t some = s >> (r >> 8) % 64;
    return (r >> 16) % 2 == 0 ? some : ~some;
  }
  return s;
}

/// Maps bits to integers such that neighbours differ by 1.
template <class Bits>
std::int64_t ordered(Bits bits) {
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const auto size = static_cast<std::int64_t>(static_cast<Bits>(bits & Bits(~kSign)));
  return (bits & kSign) != 0 ? -size : size;
}

struct Value {
  double number;
  std::int64_t order;
};
Value value_at(const ListType& type, const std::uint8_t* at, int bytes) {
  if (type.kind != Kind::kFloat) return {0, 0};
  if (bytes == 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, 4);
    return {std::bit_cast<float>(bits), ordered(bits)};
  }
  if (bytes == 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, 8);
    return {std::bit_cast<double>(bits), ordered(bits)};
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  const bool is_half = type.word.starts_with('h');
  return {is_half ? to_float(Float16{bits}) : to_float(BFloat16{bits}), ordered(bits)};
}

}  // namespace

std::string_view listed_functions() { return functions_txt; }

std::vector<ListedFunction> read_functions(const std::string& text) {
  std::vector<ListedFunction> functions;
  std::string section;
  for (const std::string& raw : split(text, '\n')) {
    const std::string line(trim(raw));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    for (const std::string& row : rows_of(line)) functions.push_back(function_of(section, row));
  }
  return functions;
}

std::string kernel_text(const ListedFunction& function, std::size_t number) {
  std::string parameters;
  for (std::size_t k = 0; k < function.inputs.size(); ++k)
    parameters += fmt::format("const {}* a{}, ", function.inputs[k]->c_type, k);
  for (std::size_t k = 0; k < function.outputs.size(); ++k)
    parameters += fmt::format("{}* o{}, ", function.outputs[k]->c_type, k);
  return fmt::format(
      "extern \"C\" __global__ void f{}({}long long n) {{\n"
      "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  {}{}{};\n}}\n",
      number, parameters, function.before, function.returns_void ? "" : "o0[i] = ", function.call);
}

std::vector<std::uint8_t> arguments_for(const ListedFunction& function, std::size_t input,
                                        std::size_t count, std::uint64_t seed,
                                        const std::vector<std::uint8_t>& before) {
  const ListType& type = *function.inputs[input];
  const int part = type.bytes / type.parts;
  const bool has_domain = input == 0 && function.low != function.high;
  std::vector<std::uint8_t> all(count * static_cast<std::size_t>(type.bytes));
  const bool is_exhaustive = input == 0 && type.parts == 1 && type.bytes <= 2;
  std::uint64_t s = mixed(seed * 977 + input);
  for (std::size_t k = 0; k < count * static_cast<std::size_t>(type.parts); ++k) {
    const std::uint64_t r = mixed(s + k);
    s = mixed(s ^ r);
    std::uint64_t bits = argument_bits(type, part, r, s, has_domain ? function.low : 0,
                                       has_domain ? function.high : 0);
    if (is_exhaustive) bits = k;
    const std::size_t at = k * static_cast<std::size_t>(part);
    // Close to the previous argument, so that differences cancel.
    if ((r >> 40) % 8 == 0 && before.size() == all.size()) {
      std::memcpy(&bits, before.data() + at, static_cast<std::size_t>(part));
      bits += (s % 5) - 2;
      if ((s >> 8) % 2 == 0) bits ^= std::uint64_t{1} << (8 * part - 1);
    }
    bits = quiet(type, part, bits);
    std::memcpy(all.data() + at, &bits, static_cast<std::size_t>(part));
  }
  return all;
}

Distance distance_of(const ListType& type, const std::vector<std::uint8_t>& a,
                     const std::vector<std::uint8_t>& b, std::size_t count) {
  const auto part = static_cast<std::size_t>(type.bytes / type.parts);
  Distance distance;
  for (std::size_t k = 0; k < count * static_cast<std::size_t>(type.parts); ++k) {
    const std::uint8_t* const x = a.data() + k * part;
    const std::uint8_t* const y = b.data() + k * part;
    if (std::memcmp(x, y, part) == 0) continue;
    double ulp = std::numeric_limits<double>::infinity(), absolute = ulp;
    if (type.kind == Kind::kFloat) {
      const Value v = value_at(type, x, static_cast<int>(part));
      const Value w = value_at(type, y, static_cast<int>(part));
      if (std::isnan(v.number) && std::isnan(w.number)) continue;
      if (!std::isnan(v.number) && !std::isnan(w.number)) {
        ulp = static_cast<double>(
            v.order < w.order
                ? static_cast<std::uint64_t>(w.order) - static_cast<std::uint64_t>(v.order)
                : static_cast<std::uint64_t>(v.order) - static_cast<std::uint64_t>(w.order));
        absolute = std::abs(v.number - w.number);
      }
    }
    ++distance.different;
    if (ulp > distance.ulp || distance.different == 1) {
      distance.ulp = ulp;
      distance.worst = k / static_cast<std::size_t>(type.parts);
    }
    distance.absolute = std::max(distance.absolute, absolute);
  }
  return distance;
}

std::string value_text(const ListType& type, const std::vector<std::uint8_t>& values,
                       std::size_t index) {
  const auto part = static_cast<std::size_t>(type.bytes / type.parts);
  std::string text;
  for (int k = 0; k < type.parts; ++k) {
    const std::uint8_t* const at = values.data() + index * static_cast<std::size_t>(type.bytes) +
                                   static_cast<std::size_t>(k) * part;
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, part);
    text += fmt::format("{}0x{:x}", k == 0 ? "" : ",", bits);
    if (type.kind == Kind::kFloat)
      text += fmt::format(" ({:.9g})", value_at(type, at, static_cast<int>(part)).number);
  }
  return text;
}

}  // namespace kernelbatch::test
