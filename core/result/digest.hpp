// The digest at the end of every results file, which detects modification.
//
// It is one line of text after HDF5's own bytes, ignored by all programs that read HDF5:
//   kernelbatch-digest 1 xxh3-128 <32 hexadecimal digits> <size of what is before it, 20 digits>
// between two line feeds. The size counts the bytes before the first of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/file.hpp"

namespace kernelbatch {

enum class Integrity : std::uint8_t {
  kWhole,     ///< its digest matches
  kDamaged,   ///< its digest does not match
  kNoDigest,  ///< it has none: schema 1, another program's file, or truncated
};

/// The digest line for this content.
std::string digest_line(std::span<const std::byte> content);

/// Integrity of a file's bytes.
Integrity integrity_of(std::span<const std::byte> file);
/// Reads the whole file. Throws SpecError if the system cannot.
Integrity integrity_of(const std::filesystem::path& path);

/// Appends the digest line to a finished file that has none. Throws StoreError.
void append_digest(const NewFile& file);

}  // namespace kernelbatch
