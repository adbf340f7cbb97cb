#include "core/device/launch_log.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace kernelbatch {

std::string demangled(const char* symbol) {
  if (symbol == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

}  // namespace kernelbatch
