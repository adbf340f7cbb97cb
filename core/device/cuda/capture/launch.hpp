// One launch of a kernel, as the driver receives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelbatch::capture {

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// Place of a parameter in the parameter buffer.
struct ParameterPlace {
  std::size_t offset = 0, size = 0;
};

struct Launch {
  std::string kernel = {};  ///< mangled name
  Extent grid = {}, block = {}, cluster = {};
  std::uint64_t shared_bytes = 0;
  bool is_cooperative = false;
  int carveout = -1;  ///< preferred share of shared memory in %; -1: the default
  std::vector<unsigned> attributes =
      {};  ///< launch attributes of other kinds (CUlaunchAttributeID)
  std::vector<ParameterPlace> parameters = {};
  std::vector<std::byte> bytes = {};  ///< the parameter buffer
};

/// The buffer's bytes in hexadecimal digits.
std::string hex_of(const std::vector<std::byte>& bytes);

/// The name as C++ has it; the mangled name if it is none of C++.
std::string demangled(const std::string& name);

}  // namespace kernelbatch::capture
