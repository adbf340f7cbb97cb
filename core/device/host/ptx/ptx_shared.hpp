// Shared memory of a PTX module: a window of 32-bit addresses.
#pragma once

#include <string>

#include "core/device/host/ptx/ptx_module.hpp"
#include "core/device/host/ptx/ptx_writer.hpp"

namespace kernelbatch::host {

/// The window has the dynamic memory in the lower half of its addresses, variables in the upper one
/// (kernelbatch/host_ptx_module.hpp).
class PtxSharedWriter : public PtxWriter {
 protected:
  static constexpr const char* kDynamicBegin = "(__kernelbatch_dynamic + 1024)";
  /// Declares the window's pointers in a function.
  static constexpr const char* kWindows = "__KERNELBATCH_PTX_WINDOWS ";

  /// `.extern .shared .b8 x[];` is the block's dynamic shared memory.
  static bool is_dynamic(const PtxVariable& variable) {
    return variable.space == "shared" && variable.is_extern;
  }
  /// Symbol of a variable in memory.
  static PtxSymbol variable_symbol(const PtxVariable& variable);
  /// `__asm__("name")`: the module's own name, if an assembler reads it as one.
  static std::string assembler_name(std::string_view name);
  /// Definition of a variable that is not dynamic.
  static std::string shared(const PtxVariable& variable);
  /// Finds which shared memory the module has. Returns a function that tests addresses.
  std::string find_shared(const PtxModule& module);

  std::string in_shared_memory(const PtxInstruction& i, const std::string& bits) const override;
  bool has_windows() const override { return has_dynamic_; }
  std::string to_shared(const std::string& bits) const override;
  std::string is_in_shared(const std::string& bits) const override;
  std::string map_address(const PtxInstruction& i) const override;

 private:
  bool has_dynamic_ = false, has_static_ = false;
};

}  // namespace kernelbatch::host
