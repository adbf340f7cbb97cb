// The digest that every results file ends with: it tells whether the file is what was written.
//
// It is one line of text behind HDF5's own bytes, which all programs that read HDF5 ignore:
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
  kWhole,     ///< its digest fits
  kDamaged,   ///< its digest does not fit
  kNoDigest,  ///< it has none: of schema 1, another program's, or cut off
};

/// The line that belongs behind this content.
std::string digest_line(std::span<const std::byte> content);

/// Of a file's bytes.
Integrity integrity_of(std::span<const std::byte> file);
/// Reads the whole file. Throws SpecError where the system cannot.
Integrity integrity_of(const std::filesystem::path& path);

/// Adds the line to a finished file that has none. Throws StoreError.
void append_digest(const NewFile& file);

}  // namespace kernelbatch
