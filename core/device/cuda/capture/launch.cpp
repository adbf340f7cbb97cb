#include "core/device/cuda/capture/launch.hpp"

#include <cxxabi.h>

#include <cstdlib>

namespace kernelbatch::capture {

std::string hex_of(const std::vector<std::byte>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text.push_back(kDigits[std::to_integer<unsigned>(byte) >> 4]);
    text.push_back(kDigits[std::to_integer<unsigned>(byte) & 15u]);
  }
  return text;
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return name;
  std::string copy = text;
  std::free(text);
  return copy;
}

}  // namespace kernelbatch::capture
