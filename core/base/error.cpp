#include "core/base/error.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "core/base/long_text.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

std::string to_text(const SourcePlace& place) {
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

Error::Error(ExitCode code, const std::string& message, const SourcePlace& place)
    : std::runtime_error(place.file.empty() ? message
                                            : fmt::format("{}: {}", to_text(place), message)),
      code_(code),
      message_(message),
      place_(place) {}
SpecError::SpecError(const std::string& message, const SourcePlace& place)
    : Error(ExitCode::kBadSpec, message, place) {}

void fail_at(const SourcePlace& place, std::string_view message) {
  throw SpecError(std::string(message), place);
}

DeviceError::DeviceError(const std::string& message) : Error(ExitCode::kNoDevice, message) {}
StoreError::StoreError(const std::string& message) : Error(ExitCode::kStoreFailed, message) {}
VerificationError::VerificationError(const std::string& message, std::string fault)
    : Error(ExitCode::kVerificationFailed, message), fault_(std::move(fault)) {}
RunError::RunError(const std::string& message) : Error(ExitCode::kCaseFailed, message) {}
CompileError::CompileError(const std::string& message, std::string log, std::string source)
    : RunError(head_and_tail(message)), log_(head_and_tail(log)), source_(std::move(source)) {}
OutOfMemoryError::OutOfMemoryError(const std::string& message) : RunError(message) {}
UnsupportedError::UnsupportedError(const std::string& message) : RunError(message) {}
EnvironmentError::EnvironmentError(const std::string& message) : RunError(message) {}
OutOfHostMemoryError::OutOfHostMemoryError(const std::string& message)
    : OutOfMemoryError(message) {}
MissingToolError::MissingToolError(const std::string& message) : UnsupportedError(message) {}

// Defined here so that the type information is only in libkernelbatch: an error thrown in a plugin
// is caught by its type in the core.
Error::~Error() = default;
SpecError::~SpecError() = default;
DeviceError::~DeviceError() = default;
StoreError::~StoreError() = default;
VerificationError::~VerificationError() = default;
RunError::~RunError() = default;
CompileError::~CompileError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
UnsupportedError::~UnsupportedError() = default;
EnvironmentFailure::~EnvironmentFailure() = default;
EnvironmentError::~EnvironmentError() = default;
OutOfHostMemoryError::~OutOfHostMemoryError() = default;
MissingToolError::~MissingToolError() = default;

void warn(const std::string& message) noexcept {
  try {
    spdlog::warn("{}", visible(message));
  } catch (...) {  // a failure to log must not end the process
  }
}

}  // namespace kernelbatch
