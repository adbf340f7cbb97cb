// Where in a kernel's text an address of its compiled code comes from. The only door to libdw.
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
/// What the names of variables begin with that are the host device's own.
inline constexpr std::string_view kPointerMark = "__kernelbatch_";

/// What templates of kernels call their own lines.
inline constexpr std::string_view kGeneratedFile = "generated";

/// Whether a place's file is a header of the host device, and no text of the user's.
bool is_file_of_ours(std::string_view file);

/// A variable of a loaded kernel library.
struct ImageVariable {
  std::string name;
  std::uintptr_t offset = 0;  ///< from the library's base, or from its thread-local memory's begin
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

  /// The place in the user's text: where the code comes from a header of ours, the user's call of
  /// it. `offset` is from the library's base.
  CodePlace place_of(std::uintptr_t offset) const;
  const std::vector<ImageVariable>& variables() const noexcept { return variables_; }
  /// Of the kernel that the host device calls first among the library's.
  std::uintptr_t first_entry() const noexcept { return first_entry_; }
  /// Of memory, from the base on.
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
