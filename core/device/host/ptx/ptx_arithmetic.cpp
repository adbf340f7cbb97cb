#include <array>
#include <utility>

#include "core/device/host/ptx/ptx_writer.hpp"

// Instructions that compute: integers, floating point, comparisons, conversions.
namespace kernelbatch::host {

std::string PtxWriter::arithmetic(const PtxInstruction& i) const {
  const PtxType& type = type_of(i);
  const std::string_view name = i.parts.front();
  if (i.has("cc") || is_one_of(name, {"addc", "subc", "madc"})) return extended(i);
  if (type.kind == 'f' && name != "testp") return floating(i, type);
  const auto a = [&](std::size_t k) { return value(i, k, type); };
  const auto call = [&](std::string_view function, std::size_t count) {
    std::string list;
    for (std::size_t k = 1; k <= count; ++k) list += (k > 1 ? ", " : "") + a(k);
    return assign(i, fmt::format("__kernelbatch_ptx_{}<{}>({})", function, type.cpp, list));
  };
  if (type.kind == 'p' || is_one_of(name, {"and", "or", "xor", "not", "cnot"})) {
    const std::string x = bits(i.operands.at(1), type, i);
    if (name == "not")
      return fmt::format("{} = {}{};", target(i.operands.at(0)), type.kind == 'p' ? "!" : "~", x);
    if (name == "cnot") return fmt::format("{} = ({}) == 0;", target(i.operands.at(0)), a(1));
    const char sign = name == "and" ? '&' : name == "or" ? '|' : '^';
    if (i.operands.size() != 3 || !is_one_of(name, {"and", "or", "xor"})) refuse(i);
    return fmt::format("{} = ({}) {} ({});", target(i.operands.at(0)), x, sign,
                       bits(i.operands.at(2), type, i));
  }
  const std::string kind = i.has("wide") ? "_wide" : i.has("hi") ? "_hi" : "";
  const std::string saturates = i.has("sat") ? "_sat" : "";
  if (is_one_of(name, {"add", "sub"})) return call(std::string(name) + "_plain" + saturates, 2);
  if (name == "mul") return call("mul" + kind, 2);
  if (name == "mad" && kind == "_wide")
    return assign(
        i, fmt::format("__kernelbatch_ptx_mul_wide<{}>({}, {}) + "
                       "__kernelbatch_ptx_in<decltype(__kernelbatch_ptx_mul_wide<{}>(0, 0))>({})",
                       type.cpp, a(1), a(2), type.cpp, bits(i.operands.at(3), type, i)));
  if (name == "mad") return call("mad" + kind, 3);
  if (name == "mul24" && i.has("lo"))
    return assign(i, fmt::format("__{}mul24({}, {})", type.kind == 's' ? "" : "u", a(1), a(2)));
  if (is_one_of(name, {"mul24", "mad24"})) refuse(i);
  if (is_one_of(name, {"div", "rem", "min", "max"})) return call(name, 2);
  if (is_one_of(name, {"abs", "neg", "popc", "clz", "brev", "bfind"}))
    return call(name == "bfind" && i.has("shiftamt") ? "bfind_shift" : name, 1);
  if (name == "sad") return call("sad", 3);
  if (name == "shl" || name == "shr")
    return assign(i, fmt::format("__kernelbatch_ptx_{}<{}>({}, (unsigned){})", name, type.cpp, a(1),
                                 bits(i.operands.at(2), type, i)));
  if (name == "shf")
    return assign(i, fmt::format("__funnelshift_{}{}({}, {}, {})", i.has("l") ? "l" : "r",
                                 i.has("clamp") ? "c" : "", a(1), a(2), a(3)));
  if (name == "prmt") {
    if (i.parts.size() > 2) refuse(i);
    return assign(i, fmt::format("__kernelbatch_ptx_prmt({}, {}, {})", a(1), a(2), a(3)));
  }
  if (name == "lop3") return call("lop3", 4);
  if (name == "bmsk") {
    const char* const limit = i.has("wrap") ? " & 31u" : "";
    return assign(i, fmt::format("__kernelbatch_ptx_bmsk({0}{2}, {1}{2})", a(1), a(2), limit));
  }
  if (name == "bfe")
    return assign(
        i, fmt::format("__kernelbatch_ptx_bfe<{}>({}, (unsigned){}, (unsigned){})", type.cpp, a(1),
                       bits(i.operands.at(2), type, i), bits(i.operands.at(3), type, i)));
  if (name == "bfi")
    return assign(i, fmt::format("__kernelbatch_ptx_bfi<{}>({}, {}, (unsigned){}, (unsigned){})",
                                 type.cpp, a(1), a(2), bits(i.operands.at(3), type, i),
                                 bits(i.operands.at(4), type, i)));
  if (name == "dp4a" || name == "dp2a") {
    const PtxType& first = type_of(i, 1);
    if (first.kind != type.kind) refuse(i);
    const std::string half = name == "dp2a" ? i.has("lo") ? "_lo" : "_hi" : "";
    return assign(i, fmt::format("__{}{}({}, {}, {})", name, half, a(1), a(2), a(3)));
  }

  refuse(i);
}

std::string PtxWriter::extended(const PtxInstruction& i) const {
  const PtxType& type = type_of(i);
  const std::string_view name = i.parts.front();
  const bool takes = is_one_of(name, {"addc", "subc", "madc"});
  const bool gives = i.has("cc");
  const std::string carry = "__kernelbatch_carry";
  const std::string in = takes ? carry : "0", out = gives ? carry : "__kernelbatch_ptx_unused";
  std::string expression;
  if (name == "mad" || name == "madc")
    expression =
        fmt::format("__kernelbatch_ptx_mad<{}, {}>({}, {}, {}, {}, {})", type.cpp,
                    i.has("hi") ? "true" : "false", value(i, 1), value(i, 2), value(i, 3), in, out);
  else
    expression = fmt::format("__kernelbatch_ptx_{}<{}>({}, {}, {}, {})", name.substr(0, 3),
                             type.cpp, value(i, 1), value(i, 2), in, out);
  return (gives ? "" : "unsigned long long __kernelbatch_ptx_unused; ") + assign(i, expression);
}

std::string PtxWriter::floating(const PtxInstruction& i, const PtxType& type) const {
  const std::string_view name = i.parts.front();
  const std::string mode = rounding(i);
  const std::string letter = type.bits == 64 ? "d" : "f";
  const auto a = [&](std::size_t k) { return value(i, k, type); };
  const auto done = [&](std::string expression) {
    if (i.has("sat")) expression = fmt::format("__kernelbatch_ptx_saturate({})", expression);
    if (flushes(i, type)) expression = fmt::format("__kernelbatch_ptx_flush({})", expression);
    return assign(i, expression);
  };
  const bool is_half = type.cpp.starts_with("__");
  if (is_one_of(name, {"add", "sub", "mul", "div"})) {
    if (is_half && name != "div")
      return done(fmt::format("{} {} {}", a(1),
                              name == "add"   ? '+'
                              : name == "sub" ? '-'
                                              : '*',
                              a(2)));
    if (name == "div" && (i.has("approx") || i.has("full")))
      return done(fmt::format("__fdividef({}, {})", a(1), a(2)));
    return done(fmt::format("__{}{}_{}({}, {})", letter, name, mode, a(1), a(2)));
  }
  if (is_one_of(name, {"fma", "mad"})) {
    if (type.cpp.ends_with("2")) return done(fmt::format("__hfma2({}, {}, {})", a(1), a(2), a(3)));
    if (is_half) return done(fmt::format("__hfma({}, {}, {})", a(1), a(2), a(3)));
    return done(
        fmt::format("__fma{}_{}({}, {}, {})", type.bits == 64 ? "" : "f", mode, a(1), a(2), a(3)));
  }
  if (is_one_of(name, {"min", "max"})) {
    const std::string kind = i.has("NaN") ? "_nan" : "";
    if (is_half)
      return done(fmt::format("__h{}{}{}({}, {})", name, type.cpp.ends_with("2") ? "2" : "", kind,
                              a(1), a(2)));
    return done(fmt::format("__kernelbatch_ptx_f{}{}({}, {})", name, kind, a(1), a(2)));
  }
  if (name == "abs" || name == "neg") {
    const std::string bit = type.cpp.ends_with("2") ? "0x80008000ull"
                            : type.bits == 64       ? "(1ull << 63)"
                                                    : fmt::format("(1ull << {})", type.bits - 1);
    return fmt::format("{} = {} {} {};", target(i.operands.at(0)), bits(i.operands.at(1), type, i),
                       name == "abs" ? "& ~" : "^", bit);
  }
  if (is_half) refuse(i);
  if (name == "sqrt" || name == "rcp") {
    return done(fmt::format("__{}{}_{}({})", letter, name, mode, a(1)));
  }
  if (name == "rsqrt") return done(fmt::format("rsqrt({})", a(1)));
  if (name == "copysign") return done(fmt::format("copysign({}, {})", a(2), a(1)));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kApproximate{
      {{"ex2", "exp2f"}, {"lg2", "log2f"}, {"sin", "sinf"}, {"cos", "cosf"}, {"tanh", "tanhf"}}};
  for (const auto& [ptx, cpp] : kApproximate)
    if (name == ptx) return done(fmt::format("{}({})", cpp, a(1)));
  refuse(i);
}

std::string PtxWriter::compare(const PtxInstruction& i) const {
  const bool is_set = i.parts.front() == "set";
  const PtxType& type = type_of(i);
  const std::string_view how = i.parts.at(1);
  const std::size_t first = i.has_second_result ? 2 : 1;
  const std::string a = value(i, first, type), b = value(i, first + 1, type);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSigns{{{"eq", "=="},
                                                                                  {"ne", "!="},
                                                                                  {"lt", "<"},
                                                                                  {"le", "<="},
                                                                                  {"gt", ">"},
                                                                                  {"ge", ">="},
                                                                                  {"lo", "<"},
                                                                                  {"ls", "<="},
                                                                                  {"hi", ">"},
                                                                                  {"hs", ">="},
                                                                                  {"", ""},
                                                                                  {"", ""}}};
  std::string condition;
  for (const auto& [word, sign] : kSigns)
    if (!word.empty() && how == word) {
      condition = fmt::format("{} {} {}", a, sign, b);
      // Ordered comparison: false for NaN.
      if (word == "ne" && type.kind == 'f')
        condition = fmt::format("({0} < {1} || {0} > {1})", a, b);
    }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUnordered{
      {{"equ", "<>"}, {"neu", "=="}, {"ltu", ">="}, {"leu", ">"}, {"gtu", "<="}, {"geu", "<"}}};
  for (const auto& [word, opposite] : kUnordered)
    if (how == word)
      condition = word == "equ" ? fmt::format("!({0} < {1} || {0} > {1})", a, b)
                                : fmt::format("!({} {} {})", a, opposite, b);
  if (how == "num") condition = fmt::format("({0} == {0} && {1} == {1})", a, b);
  if (how == "nan") condition = fmt::format("!({0} == {0} && {1} == {1})", a, b);
  if (condition.empty()) refuse(i);
  std::string join;
  for (const auto& [word, sign] : {std::pair{"and", " && "}, {"or", " || "}, {"xor", " != "}})
    if (i.has(word)) join = sign;
  const auto with = [&](const std::string& test) {
    if (join.empty()) return test;
    if (i.operands.size() <= first + 2) refuse(i);
    const PtxOperand& third = i.operands.at(first + 2);
    return fmt::format("({}){}({} != 0)", test, join, bits(third, *ptx_type("pred"), i));
  };
  if (is_set) {
    const PtxType& result = type_of(i, 1);
    return assign(i, result.kind == 'f' ? fmt::format("({}) ? 1.0f : 0.0f", with(condition))
                                        : fmt::format("({}) ? 0xffffffffu : 0u", with(condition)));
  }
  std::string text = fmt::format("const bool __kernelbatch_is = {}; {} = {};", condition,
                                 target(i.operands.at(0)), with("__kernelbatch_is"));
  if (i.has_second_result)
    text += fmt::format(" {} = {};", target(i.operands.at(1)), with("!__kernelbatch_is"));
  return text;
}

/// Pairs of floats of 8 bits.
std::string PtxWriter::convert_pair(const PtxInstruction& i) const {
  const PtxType &b16 = *ptx_type("b16"), &b32 = *ptx_type("b32"), &f32 = *ptx_type("f32");
  const bool is_e4m3 = i.has("e4m3x2");
  const bool is_result = i.parts.back() != "e4m3x2" && i.parts.back() != "e5m2x2";
  if (!is_result) {
    if (i.parts.at(i.parts.size() - 2) != "f16x2" || i.has("relu")) refuse(i);
    return assign(
        i, fmt::format("__kernelbatch_ptx_fp8_to_halves<{}>({})", is_e4m3, value(i, 1, b16)));
  }
  if (!i.has("satfinite")) refuse(i);
  if (i.parts.back() == "f16x2")
    return assign(i, fmt::format("__kernelbatch_ptx_fp8_from_halves<{}>({}, {})", is_e4m3,
                                 value(i, 1, b32), i.has("relu")));
  if (i.parts.back() != "f32") refuse(i);
  return assign(i, fmt::format("__kernelbatch_ptx_fp8_from_floats<{}>({}, {}, {})", is_e4m3,
                               value(i, 1, f32), value(i, 2, f32), i.has("relu")));
}

/// From float32 to 16 bits, or two of them: the first is the upper half.
std::string PtxWriter::narrow(const PtxInstruction& i) const {
  const PtxType &from = *ptx_type("f32"), &to = type_of(i, 1);
  const std::string mode = rounding(i);
  if (!is_one_of(mode, {"rn", "rz"}) || i.has("sat") || i.has("rs")) refuse(i);
  const std::string one = fmt::format("__kernelbatch_ptx_narrow<{}, {}, {}, {}>",
                                      to.name.starts_with("b") ? "__nv_bfloat16" : "__half",
                                      mode == "rz", i.has("relu"), i.has("satfinite"));
  if (!to.name.ends_with("x2")) return assign(i, fmt::format("{}({})", one, value(i, 1, from)));
  return fmt::format("{} = __kernelbatch_ptx_out({}({})) << 16 | __kernelbatch_ptx_out({}({}));",
                     target(i.operands.at(0)), one, value(i, 1, from), one, value(i, 2, from));
}

std::string PtxWriter::convert(const PtxInstruction& i) const {
  if (i.has("e4m3x2") || i.has("e5m2x2")) return convert_pair(i);
  const PtxType& from = type_of(i);
  const PtxType& to = type_of(i, 1);
  const std::string a = value(i, 1, from);
  const std::string saturates = i.has("sat") ? "_sat" : "";
  if (is_one_of(to.name, {"f16", "bf16", "f16x2", "bf16x2"}) && from.name == "f32")
    return narrow(i);
  if (to.name == "tf32") return assign(i, fmt::format("__kernelbatch_ptx_tf32({})", a));
  if (to.kind != 'f' && from.kind != 'f')
    return assign(i, fmt::format("__kernelbatch_ptx_convert{}<{}>({})", saturates, to.cpp, a));
  if (from.kind == 'f' && to.kind != 'f') {
    char mode = 'z';
    for (const char* word : {"rni", "rzi", "rmi", "rpi"})
      if (i.has(word)) mode = word[1];
    return assign(i, fmt::format("__kernelbatch_ptx_to_integer<{}>({}({}), '{}')", to.cpp,
                                 from.bits == 64 ? "double" : "float", a, mode));
  }
  std::string converted;
  const std::string mode = rounding(i);
  if (i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi")) {
    const std::string function = i.has("rni")   ? "rint"
                                 : i.has("rzi") ? "trunc"
                                 : i.has("rmi") ? "floor"
                                                : "ceil";
    converted = fmt::format("({}){}({})", to.cpp, function, a);
  } else if (mode == "rn" || to.bits > from.bits || to.cpp.starts_with("__")) {
    if (to.cpp.starts_with("__") && (mode != "rn" || i.has("relu") || i.has("satfinite")))
      refuse(i);
    if (to.cpp.starts_with("__") || from.cpp.starts_with("__"))
      converted = fmt::format("__kernelbatch_ptx_half_convert<{}>({})", to.cpp, a);
    else
      converted = fmt::format("({}){}", to.cpp, a);
  } else if (from.kind == 'f') {
    converted = fmt::format("__double2float_{}({})", mode, a);
  } else {
    const std::string source =
        from.bits == 64 ? (from.kind == 's' ? "ll" : "ull") : (from.kind == 's' ? "int" : "uint");
    converted = fmt::format("__{}2{}_{}({})", source, to.cpp, mode, a);
  }
  if (i.has("sat")) converted = fmt::format("__kernelbatch_ptx_saturate({})", converted);
  return assign(i, converted);
}

}  // namespace kernelbatch::host
