#include "core/device/host/ptx/ptx_shared.hpp"

#include "core/device/host/ptx/ptx_storage.hpp"

namespace kernelbatch::host {

PtxSymbol PtxSharedWriter::variable_symbol(const PtxVariable& variable) {
  const std::string address = "&" + cpp_name(variable.name);
  return variable.space == "shared"
             ? PtxSymbol{.kind = PtxSymbol::Kind::kShared, .cpp = "(char*)" + address}
             : PtxSymbol{.kind = PtxSymbol::Kind::kMemory, .cpp = address};
}

std::string PtxSharedWriter::assembler_name(std::string_view name) {
  return name.find_first_of("$%") == std::string_view::npos ? fmt::format(" __asm__(\"{}\")", name)
                                                            : "";
}

std::string PtxSharedWriter::shared(const PtxVariable& variable) {
  return fmt::format("__shared__ {} {}{};\n", storage(variable), cpp_name(variable.name),
                     assembler_name(variable.name));
}

std::string PtxSharedWriter::find_shared(const PtxModule& module) {
  std::string test;
  const auto see = [&](const PtxVariable& variable) {
    if (variable.space != "shared") return;
    has_dynamic_ = has_dynamic_ || is_dynamic(variable);
    has_static_ = has_static_ || !is_dynamic(variable);
  };
  for (const PtxVariable& each : module.variables) {
    see(each);
    if (each.space == "shared" && !is_dynamic(each))
      test += fmt::format(" || (p >= (char*)&{0} && p < (char*)(&{0} + 1))", cpp_name(each.name));
  }
  for (const PtxFunction& function : module.functions)
    for (const PtxStatement& statement : function.body)
      for (const PtxVariable& each : statement.variables) see(each);
  return fmt::format(
      "static bool __kernelbatch_is_shared(char* p) {{ return __kernelbatch_ptx_is_dynamic(p){}; "
      "}}\n",
      test);
}

/// A window: dynamic memory in the lower half of the addresses, variables in the upper one.
std::string PtxSharedWriter::in_shared_memory(const PtxInstruction& i,
                                              const std::string& bits) const {
  if (std::ranges::find(i.parts, "shared::cluster") != i.parts.end())
    return fmt::format(
        "__kernelbatch_ptx_of_cluster({}, __kernelbatch_dynamic, __kernelbatch_static)", bits);
  const std::string_view base =
      !has_static_    ? "__kernelbatch_dynamic"
      : !has_dynamic_ ? "__kernelbatch_static"
                      : "((unsigned){} >> 31 ? __kernelbatch_static : __kernelbatch_dynamic)";
  return fmt::format("({} + (unsigned){})", fmt::format(fmt::runtime(base), bits), bits);
}
std::string PtxSharedWriter::to_shared(const std::string& bits) const {
  return fmt::format(
      "__kernelbatch_ptx_into_window((char*){}, __kernelbatch_dynamic, __kernelbatch_static)",
      bits);
}
std::string PtxSharedWriter::is_in_shared(const std::string& bits) const {
  return fmt::format("__kernelbatch_is_shared((char*){})", bits);
}
std::string PtxSharedWriter::map_address(const PtxInstruction& i) const {
  const PtxType& type = type_of(i);
  if (!is_shared(i))
    return fmt::format("{} = (unsigned long long)__kernelbatch_map_shared((char*){}, {});",
                       target(i.operands[0]), bits(i.operands[1], type, i),
                       value(i, 2, *ptx_type("u32")));
  return fmt::format("{} = __kernelbatch_ptx_map_window({}, {});", target(i.operands[0]),
                     bits(i.operands[1], type, i), value(i, 2, *ptx_type("u32")));
}

}  // namespace kernelbatch::host
