// Parts of a fat binary: PTX and cubins, possibly compressed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::fatbin {

enum class Compression { kNone, kLz4, kZstd, kUnknown };

struct Part {
  bool is_ptx = false;      ///< else a cubin
  unsigned capability = 0;  ///< 90
  Compression compression = Compression::kNone;
  std::uint64_t bytes = 0;       ///< without compression
  std::string_view stored = {};  ///< as in the file
};

/// The fat binary that a program passes to the driver: at `code`, or where the compiler's wrapper
/// at `code` points to. Empty if there is none.
std::string_view at_address(const void* code);

/// Parts, whose bytes are those of `binary`. Empty if it is not a fat binary.
std::vector<Part> parts_of(std::string_view binary);

/// The decompressed bytes. Nothing if they are damaged or the system lacks libzstd.
std::optional<std::string> content_of(const Part& part);

/// PTX for the newest architecture that has all of these entries; nothing if there is none.
std::optional<std::string> ptx_with(std::vector<Part> parts,
                                    const std::vector<std::string>& entries);

/// True if the PTX has an entry of this name.
bool has_entry(std::string_view ptx, std::string_view entry);

}  // namespace kernelbatch::fatbin
