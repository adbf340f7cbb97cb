// SHA-256 (FIPS 180-4), for digests that other programs also compute.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// The digest of the bytes as 64 hexadecimal digits, as sha256sum prints it.
std::string sha256_hex(std::string_view bytes);

}  // namespace kernelbatch
