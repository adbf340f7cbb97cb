// PTX's types and special registers as C++ has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernelbatch::host {

struct PtxType {
  std::string_view name;  ///< "s32"
  std::string_view cpp;   ///< the C++ type that has its bits
  char kind;              ///< b(its) u(nsigned) s(igned) f(loat) p(redicate)
  int bits;
};

/// Null if the word is not a register type.
const PtxType* ptx_type(std::string_view name);

/// C++ expression for a special register; nothing if the host lacks it.
std::optional<std::string> special_register(std::string_view name);

}  // namespace kernelbatch::host
