#include "core/device/host/text/ptx_translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/host/text/ptx_code.hpp"
#include "core/device/host/text/ptx_types.hpp"

namespace kernelbatch::host {
namespace {

[[noreturn]] void refuse(const PtxInstruction& instruction) {
  throw UnsupportedError(fmt::format(
      "needs cuda: the PTX instruction '{}' is not on the host device", instruction.opcode));
}

/// Writes the statements of one asm block. Every register is an unsigned long long that holds the
/// bits, whatever type an instruction gives them.
class Translation {
 public:
  explicit Translation(const AsmStatement& statement)
      : statement_(statement), code_(read_ptx(statement.code)) {}

  std::string text() {
    std::string before = "do { ", after, labels;
    std::set<std::string> declared;
    const auto declare = [&](const std::string& name) {
      if (declared.insert(name).second) before += fmt::format("unsigned long long {} = 0; ", name);
    };
    for (std::size_t k = 0; k < statement_.operands.size(); ++k) {
      const AsmOperand& operand = statement_.operands[k];
      const std::string name = register_name(fmt::format("%{}", k));
      declare(name);
      if (operand.is_read)
        after += fmt::format("{} = __kernelbatch_ptx_read({}); ", name, operand.expression);
    }
    for (const PtxRegister& each : code_.registers) declare(register_name(each.name));
    declare("__kernelbatch_carry");
    for (const PtxInstruction& each : code_.instructions) {
      if (each.opcode.ends_with(':')) {
        const std::string label = label_of(each.opcode.substr(0, each.opcode.size() - 1));
        labels += fmt::format("__label__ {}; ", label);
        after += fmt::format("{}:; ", label);
        continue;
      }
      const std::string guard = each.guard.empty()
                                    ? ""
                                    : fmt::format("if ({}{}) ", each.is_guard_negated ? "!" : "",
                                                  register_name(each.guard));
      after += fmt::format("{}{{ {} }} ", guard, instruction(each));
    }
    for (std::size_t k = 0; k < statement_.operands.size(); ++k)
      if (statement_.operands[k].is_written)
        after += fmt::format("__kernelbatch_ptx_write({}, {}); ", statement_.operands[k].expression,
                             register_name(fmt::format("%{}", k)));
    return "do { " + labels + before.substr(5) + after + "} while (0)";
  }

 private:
  static std::string register_name(std::string_view name) {
    std::string result = "__kernelbatch_p";
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        result += c;
      else
        result += c == '%' ? "_" : "_x";
    }
    return result;
  }
  static std::string label_of(std::string_view name) { return register_name(name) + "_l"; }

  /// The last part that names a type.
  static const PtxType& type_of(const PtxInstruction& i, std::size_t from_end = 0) {
    for (auto part = i.parts.rbegin(); part != i.parts.rend(); ++part)
      if (const PtxType* type = ptx_type(*part); type != nullptr && from_end-- == 0) return *type;
    refuse(i);
  }

  /// The bits of an operand, of this type where it is a number.
  std::string bits(const PtxOperand& operand, const PtxType& type, const PtxInstruction& i) const {
    if (operand.kind == PtxOperand::Kind::kNumber) return number(operand.text, type);
    if (operand.kind != PtxOperand::Kind::kRegister) refuse(i);
    if (operand.is_negated) return fmt::format("!{}", register_name(operand.text));
    if (const auto special = special_register(operand.text))
      return fmt::format("(unsigned long long)({})", *special);
    if (operand.text.starts_with('%') && operand.text.find('.') != std::string::npos)
      throw UnsupportedError(fmt::format(
          "needs cuda: the special register '{}' is not on the host device", operand.text));
    return register_name(operand.text);
  }

  static std::string number(std::string text, const PtxType& type) {
    if (text.starts_with("0f") || text.starts_with("0F")) return "0x" + text.substr(2) + "ull";
    if (text.starts_with("0d") || text.starts_with("0D")) return "0x" + text.substr(2) + "ull";
    if (type.kind == 'f' && type.bits >= 32) {
      if (text.find_first_of(".eE") == std::string::npos) text += ".0";
      return fmt::format("__kernelbatch_ptx_out(({}){})", type.cpp, text);
    }
    if (text.ends_with('U')) text.pop_back();
    return fmt::format("(unsigned long long){}ll", text);
  }

  /// An operand as a value of this type.
  std::string value(const PtxInstruction& i, std::size_t k, const PtxType& type) const {
    if (k >= i.operands.size()) refuse(i);
    const std::string text = bits(i.operands[k], type, i);
    if (type.kind == 'p') return fmt::format("({} != 0)", text);
    return fmt::format("__kernelbatch_ptx_in<{}>({})", type.cpp, text);
  }
  std::string value(const PtxInstruction& i, std::size_t k) const {
    return value(i, k, type_of(i));
  }

  std::string target(const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::kNone) return "__kernelbatch_carry";
    return register_name(operand.text);
  }
  std::string assign(const PtxInstruction& i, const std::string& expression,
                     std::size_t operand = 0) const {
    if (operand >= i.operands.size()) refuse(i);
    return fmt::format("{} = __kernelbatch_ptx_out({});", target(i.operands[operand]), expression);
  }

  std::string address(const PtxInstruction& i, const PtxOperand& operand) const {
    if (operand.kind != PtxOperand::Kind::kAddress) refuse(i);
    const bool is_shared = std::ranges::any_of(
        i.parts, [](const std::string& part) { return part.starts_with("shared"); });
    return fmt::format("__kernelbatch_ptx_{}({}, {}ll)", is_shared ? "shared" : "generic",
                       register_name(operand.text), operand.offset);
  }

  std::string instruction(const PtxInstruction& i) const;
  std::string arithmetic(const PtxInstruction& i) const;
  std::string extended(const PtxInstruction& i) const;
  std::string floating(const PtxInstruction& i, const PtxType& type) const;
  std::string compare(const PtxInstruction& i) const;
  std::string convert(const PtxInstruction& i) const;
  std::string memory(const PtxInstruction& i) const;
  std::string atomic(const PtxInstruction& i) const;
  std::string move(const PtxInstruction& i) const;
  std::string warp(const PtxInstruction& i) const;
  std::string barrier(const PtxInstruction& i) const;
  std::string copy(const PtxInstruction& i) const;
  std::string matrix(const PtxInstruction& i) const;
  static std::string rounding(const PtxInstruction& i) {
    for (const char* mode : {"rn", "rz", "rm", "rp"})
      if (i.has(mode)) return mode[1] == 'm' ? "rd" : mode[1] == 'p' ? "ru" : mode;
    return "rn";
  }

  const AsmStatement& statement_;
  PtxCode code_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

std::string Translation::instruction(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  if (name == "bra") {
    if (i.operands.size() != 1) refuse(i);
    return fmt::format("goto {};", label_of(i.operands[0].text));
  }
  if (is_one_of(name, {"exit", "ret"})) refuse(i);
  if (name == "trap") return "__trap();";
  if (name == "nanosleep") return "__nanosleep(1);";
  if (is_one_of(name, {"brkpt", "pmevent", "prefetch", "prefetchu", "applypriority", "discard",
                       "setmaxnreg", "griddepcontrol"}))
    return "";
  if (is_one_of(name, {"mov", "cvta", "selp", "slct", "isspacep", "mapa"})) return move(i);
  if (is_one_of(name, {"setp", "set"})) return compare(i);
  if (name == "cvt") return convert(i);
  if (is_one_of(name, {"ld", "ldu", "st"})) return memory(i);
  if (is_one_of(name, {"atom", "red"})) return atomic(i);
  if (is_one_of(name, {"bar", "barrier", "membar", "fence", "mbarrier"})) return barrier(i);
  if (is_one_of(name, {"shfl", "vote", "match", "activemask", "redux", "elect"})) return warp(i);
  if (name == "cp") return copy(i);
  if (is_one_of(name, {"mma", "ldmatrix"})) return matrix(i);
  return arithmetic(i);
}

std::string Translation::floating(const PtxInstruction& i, const PtxType& type) const {
  const std::string_view name = i.parts.front();
  const std::string mode = rounding(i);
  const std::string letter = type.bits == 64 ? "d" : "f";
  const auto a = [&](std::size_t k) { return value(i, k, type); };
  const auto done = [&](std::string expression) {
    if (i.has("sat")) expression = fmt::format("__kernelbatch_ptx_saturate({})", expression);
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
    return fmt::format("{} = {} {} {};", target(i.operands[0]), bits(i.operands[1], type, i),
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

std::string Translation::extended(const PtxInstruction& i) const {
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

std::string Translation::arithmetic(const PtxInstruction& i) const {
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
    const std::string x = bits(i.operands[1], type, i);
    if (name == "not")
      return fmt::format("{} = {}{};", target(i.operands[0]), type.kind == 'p' ? "!" : "~", x);
    if (name == "cnot") return fmt::format("{} = ({}) == 0;", target(i.operands[0]), a(1));
    const char sign = name == "and" ? '&' : name == "or" ? '|' : '^';
    if (i.operands.size() != 3 || !is_one_of(name, {"and", "or", "xor"})) refuse(i);
    return fmt::format("{} = ({}) {} ({});", target(i.operands[0]), x, sign,
                       bits(i.operands[2], type, i));
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
  if (name == "bfe")
    return assign(
        i, fmt::format("__kernelbatch_ptx_bfe<{}>({}, (unsigned){}, (unsigned){})", type.cpp, a(1),
                       bits(i.operands.at(2), type, i), bits(i.operands.at(3), type, i)));
  if (name == "bfi")
    return assign(i, fmt::format("__kernelbatch_ptx_bfi<{}>({}, {}, (unsigned){}, (unsigned){})",
                                 type.cpp, a(1), a(2), bits(i.operands.at(3), type, i),
                                 bits(i.operands.at(4), type, i)));
  if (name == "dp4a") {
    const PtxType& first = type_of(i, 1);
    if (first.kind != type.kind) refuse(i);
    return assign(i, fmt::format("__dp4a({}, {}, {})", a(1), a(2), a(3)));
  }
  constexpr std::string_view kSimd = "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset";
  (void)kSimd;
  refuse(i);
}

std::string Translation::compare(const PtxInstruction& i) const {
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
      // Ordered: NaN differs from nothing.
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
    const PtxOperand& third = i.operands[first + 2];
    return fmt::format("({}){}({} != 0)", test, join, bits(third, *ptx_type("pred"), i));
  };
  if (is_set) {
    const PtxType& result = type_of(i, 1);
    return assign(i, result.kind == 'f' ? fmt::format("({}) ? 1.0f : 0.0f", with(condition))
                                        : fmt::format("({}) ? 0xffffffffu : 0u", with(condition)));
  }
  std::string text = fmt::format("const bool __kernelbatch_is = {}; {} = {};", condition,
                                 target(i.operands[0]), with("__kernelbatch_is"));
  if (i.has_second_result)
    text += fmt::format(" {} = {};", target(i.operands[1]), with("!__kernelbatch_is"));
  return text;
}

std::string Translation::convert(const PtxInstruction& i) const {
  const PtxType& from = type_of(i);
  const PtxType& to = type_of(i, 1);
  const std::string a = value(i, 1, from);
  const std::string saturates = i.has("sat") ? "_sat" : "";
  if (to.name.ends_with("x2")) {  // the first operand is the upper half
    if (from.name != "f32") refuse(i);
    return assign(i, fmt::format("__floats2{}2_rn({}, {})",
                                 to.name == "f16x2" ? "half" : "bfloat16", value(i, 2, from), a));
  }
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
    if (mode != "rn" && to.cpp.starts_with("__")) refuse(i);
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

std::string Translation::move(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& type = type_of(i);
  if (i.operands.size() < 2) refuse(i);
  if (name == "selp")
    return fmt::format("{} = {} ? {} : {};", target(i.operands[0]),
                       bits(i.operands.at(3), *ptx_type("pred"), i), bits(i.operands[1], type, i),
                       bits(i.operands.at(2), type, i));
  if (name == "slct") {
    const PtxType& result = type_of(i, 1);
    return fmt::format("{} = {} >= 0 ? {} : {};", target(i.operands[0]), value(i, 3, type),
                       bits(i.operands[1], result, i), bits(i.operands[2], result, i));
  }
  if (name == "isspacep")
    return fmt::format("{} = __kernelbatch_ptx_is_{}({});", target(i.operands[0]),
                       i.parts.at(1).substr(0, 6), bits(i.operands[1], type, i));
  if (name == "cvta") {
    const bool is_shared = std::ranges::any_of(
        i.parts, [](const std::string& part) { return part.starts_with("shared"); });
    const std::string source = bits(i.operands[1], type, i);
    if (!is_shared) return fmt::format("{} = {};", target(i.operands[0]), source);
    return fmt::format("{} = __kernelbatch_ptx_{}({});", target(i.operands[0]),
                       i.has("to") ? "to_shared" : "from_shared", source);
  }
  if (name == "mapa") refuse(i);
  if (i.operands[0].kind == PtxOperand::Kind::kVector) {
    const auto& elements = i.operands[0].elements;
    const int width = type.bits / static_cast<int>(elements.size());
    std::string text = fmt::format("const unsigned long long __kernelbatch_v = {}; ",
                                   bits(i.operands[1], type, i));
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format("{} = __kernelbatch_v >> {} & {:#x}ull; ", target(elements[k]),
                          static_cast<int>(k) * width, width == 64 ? ~0ull : (1ull << width) - 1);
    return text;
  }
  if (i.operands[1].kind == PtxOperand::Kind::kVector) {
    const auto& elements = i.operands[1].elements;
    const int width = type.bits / static_cast<int>(elements.size());
    std::string text;
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format("{}({} & {:#x}ull) << {}", k > 0 ? " | " : "", bits(elements[k], type, i),
                          width == 64 ? ~0ull : (1ull << width) - 1, static_cast<int>(k) * width);
    return fmt::format("{} = {};", target(i.operands[0]), text);
  }
  return fmt::format("{} = {};", target(i.operands[0]), bits(i.operands[1], type, i));
}

std::string Translation::memory(const PtxInstruction& i) const {
  const PtxType& type = type_of(i);
  const bool is_store = i.parts.front() == "st";
  if (i.operands.size() < 2 || i.has("param")) refuse(i);
  const PtxOperand& data = i.operands[is_store ? 1 : 0];
  const std::string place = address(i, i.operands[is_store ? 0 : 1]);
  const std::string how = i.has("acquire")   ? "__ATOMIC_ACQUIRE"
                          : i.has("release") ? "__ATOMIC_RELEASE"
                          : i.has("relaxed") || i.has("volatile") || i.has("mmio")
                              ? "__ATOMIC_RELAXED"
                              : "-1";
  const std::vector<PtxOperand> elements =
      data.kind == PtxOperand::Kind::kVector ? data.elements : std::vector{data};
  // Bits as they are: halves, too.
  const std::string_view cpp = type.bits == 16 && type.kind == 'f' ? "unsigned short"
                               : type.cpp.starts_with("__")        ? "unsigned"
                                                                   : type.cpp;
  std::string text = fmt::format("char* const __kernelbatch_at = {}; ", place);
  // A vector is read whole before a register changes: one of them may be the address.
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const std::string at = fmt::format("__kernelbatch_at + {} * sizeof({})", k, cpp);
    if (is_store)
      text +=
          fmt::format("__kernelbatch_ptx_store<{0}, {1}>({2}, __kernelbatch_ptx_in<{0}>({3})); ",
                      cpp, how, at, bits(elements[k], type, i));
    else
      text += fmt::format("{} = __kernelbatch_ptx_out(__kernelbatch_ptx_load<{}, {}>({})); ",
                          target(elements[k]), cpp, how, at);
  }
  return text;
}

std::string Translation::atomic(const PtxInstruction& i) const {
  const bool is_red = i.parts.front() == "red";
  const PtxType& type = type_of(i);
  if (type.cpp.starts_with("__")) refuse(i);
  for (const char* op : {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
    if (!i.has(op)) continue;
    const std::size_t at = is_red ? 0 : 1;
    if (i.operands.size() <= at + 1 || i.operands[at + 1].kind == PtxOperand::Kind::kVector)
      refuse(i);
    std::string call = fmt::format("__kernelbatch_ptx_atomic_{}<{}>({}, {}", op, type.cpp,
                                   address(i, i.operands[at]), value(i, at + 1));
    if (std::string_view(op) == "cas") call += ", " + value(i, at + 2);
    return is_red ? call + ");" : assign(i, call + ")");
  }
  refuse(i);
}

std::string Translation::warp(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& pred = *ptx_type("pred");
  const PtxType& b32 = *ptx_type("b32");
  const auto mask = [&](std::size_t k) { return value(i, k, b32); };
  if (name == "activemask") return assign(i, "__activemask()");
  if (!i.has("sync")) refuse(i);
  const std::size_t first = i.has_second_result ? 2 : 1;
  if (name == "shfl") {
    const std::string mode = i.parts.at(2);
    return fmt::format(
        "bool __kernelbatch_valid; {} = __kernelbatch_ptx_shuffle('{}', {}, {}, {}, {}, "
        "__kernelbatch_valid);{}",
        target(i.operands[0]), mode.front(), mask(first), mask(first + 1), mask(first + 2),
        mask(first + 3),
        i.has_second_result ? fmt::format(" {} = __kernelbatch_valid;", target(i.operands[1]))
                            : "");
  }
  if (name == "vote") {
    const std::string p = value(i, 1, pred), m = mask(2);
    if (i.has("ballot")) return assign(i, fmt::format("__ballot_sync({}, {})", m, p));
    if (i.has("any")) return assign(i, fmt::format("__any_sync({}, {}) != 0", m, p));
    if (i.has("all")) return assign(i, fmt::format("__all_sync({}, {}) != 0", m, p));
    return assign(i, fmt::format("__kernelbatch_ptx_uniform({}, {})", m, p));
  }
  if (name == "match") {
    const PtxType& type = type_of(i);
    if (i.has("any"))
      return assign(i, fmt::format("__match_any_sync({}, {})", mask(2), value(i, 1, type)));
    return fmt::format(
        "int __kernelbatch_all; {} = __match_all_sync({}, {}, &__kernelbatch_all);{}",
        target(i.operands[0]), mask(first + 1), value(i, first, type),
        i.has_second_result ? fmt::format(" {} = __kernelbatch_all;", target(i.operands[1])) : "");
  }
  if (name == "redux")
    return assign(i, fmt::format("__reduce_{}_sync({}, {})", i.parts.at(2), mask(2), value(i, 1)));
  if (name == "elect")
    return fmt::format(
        "const unsigned __kernelbatch_m = {}; {} = __ffs(__kernelbatch_m) - 1; {} = "
        "__kernelbatch_ptx_lane() == __ffs(__kernelbatch_m) - 1;",
        mask(2), target(i.operands[0]), target(i.operands[1]));
  refuse(i);
}

std::string Translation::barrier(const PtxInstruction& i) const {
  const std::string_view name = i.parts.front();
  const PtxType& b32 = *ptx_type("b32");
  if (name == "membar" || name == "fence") return "__threadfence_system();";
  if (name == "mbarrier") {
    const std::string what = i.parts.at(1);
    const auto state = [&](std::size_t k) { return address(i, i.operands.at(k)); };
    if (what == "init")
      return fmt::format("__kernelbatch_ptx_mbarrier_init({}, {});", state(0), value(i, 1, b32));
    if (what == "inval") return "";
    if (what == "arrive" && !i.has("expect_tx"))
      return fmt::format("{} = __kernelbatch_ptx_mbarrier_arrive({}, {});",
                         target(i.operands.at(0)), state(1),
                         i.operands.size() > 2 ? value(i, 2, b32) : "1u");
    if (what == "test_wait" || what == "try_wait")
      return fmt::format(
          "{} = __kernelbatch_ptx_mbarrier_wait({}, {}, {});", target(i.operands.at(0)), state(1),
          bits(i.operands.at(2), *ptx_type("b64"), i), i.has("parity") ? "true" : "false");
    refuse(i);
  }
  if (i.has("cluster")) {
    if (i.has("arrive")) return "__kernelbatch_cluster_arrive();";
    if (i.has("wait")) return "__kernelbatch_cluster_wait();";
    refuse(i);
  }
  if (i.has("warp")) return fmt::format("__syncwarp({});", value(i, 0, b32));
  if (i.has("red")) {
    const std::size_t last = i.operands.size() - 1;
    const std::string p = value(i, last, *ptx_type("pred"));
    if (i.operands.size() > 3) refuse(i);
    const std::string how = i.has("popc") ? "count" : i.has("and") ? "and" : "or";
    return fmt::format("{} = __syncthreads_{}({});", target(i.operands.at(0)), how, p);
  }
  if (!i.has("sync") && !i.has("arrive")) refuse(i);
  if (i.operands.empty()) refuse(i);
  const std::string number = value(i, 0, b32),
                    count = i.operands.size() > 1 ? value(i, 1, b32) : "0u";
  return fmt::format("__kernelbatch_named_barrier({}, {}, {});", number, count,
                     i.has("sync") ? "true" : "false");
}

std::string Translation::copy(const PtxInstruction& i) const {
  if (!i.has("async") || i.has("bulk") || i.has("mbarrier")) refuse(i);
  if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all")) return "";
  const PtxType& b32 = *ptx_type("b32");
  if (i.operands.size() < 3) refuse(i);
  PtxOperand from = i.operands[1];
  return fmt::format(
      "__kernelbatch_ptx_copy({}, __kernelbatch_ptx_generic({}, {}ll), {}, {});",
      address(i, i.operands[0]), register_name(from.text), from.offset, value(i, 2, b32),
      i.operands.size() > 3 && i.operands[3].kind != PtxOperand::Kind::kAddress ? value(i, 3, b32)
                                                                                : value(i, 2, b32));
}

std::string Translation::matrix(const PtxInstruction& i) const {
  const auto list = [&](const PtxOperand& operand) {
    const std::vector<PtxOperand> elements =
        operand.kind == PtxOperand::Kind::kVector ? operand.elements : std::vector{operand};
    std::string text;
    for (const PtxOperand& each : elements)
      text += (text.empty() ? "" : ", ") + bits(each, *ptx_type("b32"), i);
    return text;
  };
  const auto give = [&](const PtxOperand& operand) {
    const std::vector<PtxOperand> elements =
        operand.kind == PtxOperand::Kind::kVector ? operand.elements : std::vector{operand};
    std::string text;
    for (std::size_t k = 0; k < elements.size(); ++k)
      text += fmt::format(" {} = __kernelbatch_d[{}];", target(elements[k]), k);
    return text;
  };
  if (i.parts.front() == "ldmatrix") {
    if (!i.has("m8n8") || !i.has("b16")) refuse(i);
    const int count = i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
    return fmt::format(
        "unsigned long long __kernelbatch_d[4]; __kernelbatch_ptx_ldmatrix<{}, "
        "{}>(__kernelbatch_d, {});{}",
        count, i.has("trans") ? "true" : "false", address(i, i.operands.at(1)),
        give(i.operands.at(0)));
  }
  // mma.sync.aligned.m16n8k16.row.col.D.A.B.C
  if (i.has("sp") || !i.has("row") || !i.has("col") || i.parts.size() < 10 || i.operands.size() < 4)
    refuse(i);
  const std::string shape = i.parts[3];
  const std::string d = i.parts[i.parts.size() - 4], a = i.parts[i.parts.size() - 3];
  if (a != i.parts[i.parts.size() - 2]) refuse(i);
  const bool is_tall = shape.starts_with("m16n8k");
  if (!is_tall && !(shape == "m8n8k4" && a == "f64")) refuse(i);
  if (!is_one_of(a, {"f16", "bf16", "tf32", "f64", "s8", "u8"}) ||
      !is_one_of(d, {"f16", "f32", "f64", "s32"}))
    refuse(i);
  return fmt::format(
      "unsigned long long __kernelbatch_a[] = {{{}}}, __kernelbatch_b[] = {{{}}}, "
      "__kernelbatch_c[] = {{{}}}, "
      "__kernelbatch_d[4]; __kernelbatch_ptx_mma<{}, {}, __kernelbatch_ptx_type_{}, "
      "__kernelbatch_ptx_type_{}>(__kernelbatch_d, "
      "__kernelbatch_a, __kernelbatch_b, __kernelbatch_c);{}",
      list(i.operands[1]), list(i.operands[2]), list(i.operands[3]), is_tall ? 16 : 8,
      shape.substr(shape.find('k') + 1), a, d, give(i.operands[0]));
}

}  // namespace

std::string translate_ptx(const AsmStatement& statement) { return Translation(statement).text(); }

}  // namespace kernelbatch::host
