// Maps addresses of compiled code to places in a kernel's text. The only user of libdw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/access_checks.hpp"

namespace kernelbatch::host {

/// The library's variable that has the kernel's text, for messages.
inline constexpr std::string_view kTextSymbol = "kernelbatch_text";
/// Prefix of the names of the host device's internal variables.
inline constexpr std::string_view kPointerMark = "__kernelbatch_";

/// File name for the lines that kernel templates generate.
inline constexpr std::string_view kGeneratedFile = "generated";

/// True if a place's file is a header of the host device, not a text of the user's.
bool is_file_of_ours(std::string_view file);

/// A variable of a loaded kernel library.
struct ImageVariable {
  std::string name;
  std::uintptr_t offset = 0;  ///< from the base of the library or of its thread-local memory
  std::size_t bytes = 0;
  bool is_thread_local = false;  ///< shared memory of a block
  bool is_constant = false;
};

/// The debug information of one kernel library, compiled with -g.
class CodePlaces {
 public:
  /// `bytes` is the library's file. Throws RunError for bytes that are none.
  explicit CodePlaces(std::string bytes);
  ~CodePlaces();
  CodePlaces(CodePlaces&&) noexcept;

  /// The place in the user's text: for code from a prelude header, the user's call of it. `offset`
  /// is from the library's base.
  CodePlace place_of(std::uintptr_t offset) const;
  const std::vector<ImageVariable>& variables() const noexcept { return variables_; }
  /// Address of the first kernel entry of the library.
  std::uintptr_t first_entry() const noexcept { return first_entry_; }
  /// Bytes in memory, from the base.
  std::size_t bytes_loaded() const noexcept { return bytes_loaded_; }

 private:
  struct Debug;
  void read_symbols();

  std::string bytes_;
  std::unique_ptr<Debug> debug_;
  std::vector<ImageVariable> variables_;
  std::uintptr_t first_entry_ = 0;
  std::size_t bytes_loaded_ = 0;
};

}  // namespace kernelbatch::host
