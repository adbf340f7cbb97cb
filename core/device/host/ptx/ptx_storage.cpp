#include "core/device/host/ptx/ptx_storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace kernelbatch::host {

const PtxType& known_type(const PtxVariable& variable) {
  if (const PtxType* const type = ptx_type(variable.type)) return *type;
  throw UnsupportedError(fmt::format("needs cuda: '{}' of type '.{}' is not on the host device",
                                     variable.name, variable.type));
}

std::string_view word_of(int bits) {
  return bits == 64   ? "unsigned long long"
         : bits == 32 ? "unsigned"
         : bits == 16 ? "unsigned short"
                      : "unsigned char";
}

std::string storage(const PtxVariable& variable, std::size_t least_alignment) {
  const PtxType& type = known_type(variable);
  if (type.kind == 'p') return "bool";
  const auto bytes = static_cast<std::size_t>(type.bits / 8);
  if (!variable.is_array && (type.bits <= 64) && variable.alignment <= bytes)
    return std::string(word_of(type.bits));
  return fmt::format("__kernelbatch_ptx_bytes<{}, {}>", bytes * variable.elements,
                     std::max({variable.alignment, bytes, least_alignment}));
}

std::string result_type(const std::vector<PtxVariable>& results) {
  if (results.size() > 1)
    throw UnsupportedError(
        "needs cuda: a PTX function with several results is not on the host device");
  return results.empty() ? "void" : storage(results.front(), kCallAlignment);
}

std::string block_limit(const PtxModule& module, const std::string& entry, std::size_t number) {
  for (const PtxFunction& each : module.functions)
    if (each.name == entry && !each.block.empty())
      return fmt::format(
          "extern \"C\" const unsigned kernelbatch_entry_{}_block[4] = {{{}, {}, {}, {}}};\n",
          number, each.block[0], each.block[1], each.block[2], each.is_block_exact ? 1 : 0);
  return "";
}

}  // namespace kernelbatch::host
