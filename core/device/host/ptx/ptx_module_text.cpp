#include "core/device/host/ptx/ptx_module_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/text.hpp"
#include "core/device/host/ptx/ptx_module.hpp"
#include "core/device/host/ptx/ptx_products.hpp"
#include "core/device/host/ptx/ptx_shared.hpp"
#include "core/device/host/ptx/ptx_storage.hpp"

namespace kernelbatch::host {
namespace {

using Kind = PtxSymbol::Kind;

/// Functions of the device runtime, which kernelbatch/host_ptx_calls.hpp defines.
constexpr std::array<std::string_view, 4> kRuntime{"vprintf", "__assertfail", "malloc", "free"};

class ModuleWriter final : public PtxSharedWriter {
 public:
  ModuleWriter(const PtxModule& module, std::string file)
      : module_(module), file_(std::move(file)) {}

  PtxModuleText text(std::span<const std::string> entries) {
    enter_scope();
    PtxModuleText result;
    for (const PtxFunction& each : module_.functions) declare_function(each);
    for (const PtxVariable& each : module_.variables) declare_variable(each);
    text_ += find_shared(module_);
    for (const PtxVariable& each : module_.variables) define_variable(each);
    for (const PtxFunction& each : module_.functions)
      if (each.has_body) {
        current_line_ = each.line;
        at_ptx_line(current_line_, [&] { define(each); });
      }
    for (const std::string& name : entries) {
      if (!entries_.contains(name))
        throw SpecError(fmt::format(
            "the module has no entry '{}'{}", name,
            suggestion(name, std::vector<std::string>(entries_.begin(), entries_.end()))));
      text_ += block_limit(module_, name, result.entries.size());
      result.entries.push_back(function_name(name));
    }
    result.text = std::move(text_);
    return result;
  }

 private:
  static std::string function_name(std::string_view name) { return cpp_name(name) + "_f"; }

  void declare_function(const PtxFunction& function) {
    if (function.is_entry) entries_.insert(function.name);
    add(function.name, {.kind = Kind::kFunction, .cpp = "&" + function_name(function.name)});
    const bool is_runtime = std::ranges::find(kRuntime, function.name) != kRuntime.end();
    if (function.has_body) defined_.insert(function.name);
    if (is_runtime && !function.has_body) runtime_.insert(function.name);
    if (is_runtime && !function.has_body) return;
    if (!declared_.insert(function.name).second) return;
    text_ += head(function) + ";\n";
  }

  static std::string head(const PtxFunction& function) {
    std::string list;
    for (const PtxVariable& each : function.parameters)
      list +=
          fmt::format("{}{} {}", list.empty() ? "" : ", ",
                      storage(each, function.is_entry ? 1 : kCallAlignment), cpp_name(each.name));
    return fmt::format("static {} {}({})", result_type(function.results),
                       function_name(function.name), list);
  }

  void declare_variable(const PtxVariable& variable) {
    const std::string name = cpp_name(variable.name);
    if (is_dynamic(variable)) {
      add(variable.name, {.kind = Kind::kShared, .cpp = kDynamicBegin});
      return;
    }
    if (ptx_type(variable.type) == nullptr) return;  // an error if it is used
    add(variable.name, variable_symbol(variable));
    if (variable.space == "shared")
      text_ += shared(variable);
    else
      text_ += fmt::format("extern {} {}[]{};\n", element(variable), name,
                           assembler_name(variable.name));
  }

  static std::string_view element(const PtxVariable& variable) {
    return word_of(known_type(variable).bits);
  }

  void define_variable(const PtxVariable& variable) {
    if (variable.space == "shared" || ptx_type(variable.type) == nullptr) return;
    if (variable.is_extern) return;  // a reference that cannot be resolved fails with its name
    const PtxType& type = known_type(variable);
    std::string values;
    at_ptx_line(variable.line, [&] {
      for (const PtxInitial& each : variable.initial) values += initial(each, type) + ",";
    });
    text_ += fmt::format(
        "__attribute__((__aligned__({}))) {} {}[{}]{};\n",
        std::max<std::size_t>(variable.alignment, static_cast<std::size_t>(type.bits / 8)),
        element(variable), cpp_name(variable.name), std::max<std::size_t>(variable.elements, 1),
        values.empty() ? "" : fmt::format(" = {{{}}}", values));
  }

  std::string initial(const PtxInitial& value, const PtxType& type) const {
    if (value.name.empty())
      return fmt::format("({}){}", word_of(type.bits), number(value.number, type));
    const std::string address =
        fmt::format("((unsigned long long){} + {}ll)", symbol(value.name).cpp, value.offset);
    if (value.number.empty()) return address;
    return fmt::format("({})(({} & {}ull) >> __builtin_ctzll({}ull))", word_of(type.bits), address,
                       value.number, value.number);
  }

  void define(const PtxFunction& function) {
    enter_scope();
    tables_.clear();
    prototypes_.clear();
    for (const PtxStatement& each : function.body) {
      if (each.kind == PtxStatement::Kind::kTargets) tables_[each.name] = each.targets;
      if (each.kind == PtxStatement::Kind::kPrototype) prototypes_[each.name] = &each;
    }
    for (const PtxVariable& each : function.parameters)
      add(each.name, {.kind = each.space == "reg" ? Kind::kRegister : Kind::kMemory,
                      .cpp = (each.space == "reg" ? "" : "&") + cpp_name(each.name)});
    set_place(function.line, file_);
    text_ += head(function) + " { unsigned long long __kernelbatch_carry = 0; ";
    text_ += kWindows;
    products_ = PtxProducts(function.body);
    if (products_.count() > 0)
      text_ +=
          fmt::format("__kernelbatch_ptx_wgmma_results<{}> {}; ", products_.count(), products());
    leave_ = "return;";
    for (const PtxVariable& each : function.results) {
      add(each.name, {.kind = each.space == "reg" ? Kind::kRegister : Kind::kMemory,
                      .cpp = (each.space == "reg" ? "" : "&") + cpp_name(each.name)});
      text_ += fmt::format("{} {}; ", storage(each, kCallAlignment), cpp_name(each.name));
      leave_ = fmt::format("return {};", cpp_name(each.name));
    }
    is_entry_ = function.is_entry;
    depth_ = 0;
    has_places_ = false;
    enter_scope();
    text_ += "{ ";
    const std::string written = body(function.body);
    text_ += written + "} " + (function.results.empty() ? "" : leave_) + "}\n";
    leave_scope();
    leave_scope();
  }

  // ---- places

  std::string place_text(int line, const std::string& file) {
    if (line == line_ && file == place_file_) return "\n" + (++line_, std::string());
    line_ = line + 1;
    place_file_ = file;
    return fmt::format("\n#line {} \"{}\"\n", line, file);
  }
  void set_place(int line, const std::string& file) {
    line_ = -1;
    text_ += place_text(line, file);
  }

  std::string before(const PtxStatement& statement) override {
    current_line_ = statement.line;
    if (statement.kind == PtxStatement::Kind::kOpen) ++depth_;
    if (statement.kind == PtxStatement::Kind::kClose) --depth_;
    if (statement.kind == PtxStatement::Kind::kPlace) {
      const auto found = module_.files.find(statement.file);
      has_places_ = found != module_.files.end() && statement.file_line > 0;
      if (has_places_) source_ = {statement.file_line, found->second};
      return "";
    }
    if (statement.kind != PtxStatement::Kind::kInstruction) return "";
    line_ = -1;
    return has_places_ ? place_text(source_.first, source_.second)
                       : place_text(statement.line, file_);
  }

  // ---- statements

  int product_number(const PtxOperand& operand) const override {
    return operand.kind == PtxOperand::Kind::kRegister ? products_.number(operand.text) : -1;
  }
  std::string products() const override {
    return products_.count() > 0 ? "__kernelbatch_products" : "";
  }

  std::string declare(const PtxVariable& variable) override {
    const std::string name = cpp_name(variable.name);
    if (variable.space == "reg") return declare_registers(variable, depth_ == 0);
    if (is_dynamic(variable)) {
      add(variable.name, {.kind = Kind::kShared, .cpp = kDynamicBegin});
      return "";
    }
    add(variable.name, variable_symbol(variable));
    if (variable.space == "shared") return shared(variable);
    return fmt::format("{} {}; ", storage(variable, variable.space == "param" ? kCallAlignment : 1),
                       name);
  }

  std::string leave(const PtxInstruction& i) const override {
    if (i.parts.front() == "exit" && !is_entry_) refuse(i);
    return leave_;
  }

  std::string branch_to_one_of(const PtxInstruction& i) const override {
    const auto table = tables_.find(i.operands.at(1).text);
    if (table == tables_.end())
      throw SpecError(fmt::format("'{}' is no table of targets", i.operands[1].text));
    std::string cases;
    for (std::size_t k = 0; k < table->second.size(); ++k)
      cases += fmt::format("case {}: goto {}; ", k, label_of(table->second[k]));
    return fmt::format("switch ({}) {{ {}}}", value(i, 0, *ptx_type("u32")), cases);
  }

  std::string argument(const PtxInstruction& i, const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::kNumber) return number(operand.text, *ptx_type("b64"));
    if (operand.kind != PtxOperand::Kind::kRegister) refuse(i);
    const PtxSymbol& found = symbol(operand.text);
    return found.cpp.starts_with('&') ? found.cpp.substr(1) : found.cpp;
  }

  std::string call(const PtxInstruction& i) const override {
    std::vector<PtxOperand> rest = i.operands;
    std::string result, arguments, callee;
    if (!rest.empty() && rest.front().kind == PtxOperand::Kind::kList) {
      if (rest.front().elements.size() != 1) refuse(i);
      result = argument(i, rest.front().elements.front()) + " = ";
      rest.erase(rest.begin());
    }
    const std::string name = rest.at(0).text;
    if (rest.size() > 1 && rest[1].kind == PtxOperand::Kind::kList)
      for (const PtxOperand& each : rest[1].elements)
        arguments += (arguments.empty() ? "" : ", ") + argument(i, each);
    if (const PtxSymbol& found = symbol(name); found.kind == Kind::kRegister) {
      const auto prototype = prototypes_.find(rest.back().text);
      if (prototype == prototypes_.end()) refuse(i);
      std::string types;
      for (const PtxVariable& each : prototype->second->variables)
        types += (types.empty() ? "" : ", ") + storage(each, kCallAlignment);
      callee = fmt::format("(({} (*)({})){})", result_type(prototype->second->results), types,
                           found.cpp);
    } else if (runtime_.contains(name)) {
      callee = "__kernelbatch_ptx_call_" + name;
    } else if (!defined_.contains(name)) {
      throw UnsupportedError(
          fmt::format("needs cuda: the function '{}', which the module only declares, is not on "
                      "the host device",
                      name));
    } else {
      callee = function_name(name);
    }
    return fmt::format("{}{}({});", result, callee, arguments);
  }

  const PtxModule& module_;
  std::string file_, text_, leave_, place_file_;
  std::set<std::string> entries_, declared_, defined_, runtime_;
  std::map<std::string, std::vector<std::string>> tables_;
  std::map<std::string, const PtxStatement*> prototypes_;
  PtxProducts products_;
  std::pair<int, std::string> source_;
  int line_ = -1, depth_ = 0, current_line_ = 0;
  bool is_entry_ = false, has_places_ = false;
};

}  // namespace

PtxModuleText ptx_module_text(std::string_view module, const std::string& file,
                              std::span<const std::string> entries) {
  PtxModule read = read_ptx_module(module);
  keep_entries(read, entries);
  return ModuleWriter(read, file).text(entries);
}

std::vector<std::string> ptx_entries(std::string_view module) {
  std::vector<std::string> names;
  for (const PtxFunction& each : read_ptx_module(module).functions)
    if (each.is_entry && each.has_body) names.push_back(each.name);
  return names;
}

}  // namespace kernelbatch::host
