#include "core/base/error.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch {

Error::Error(ExitCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}
SpecError::SpecError(const std::string& message) : Error(ExitCode::kBadSpec, message) {}
DeviceError::DeviceError(const std::string& message) : Error(ExitCode::kNoDevice, message) {}
StoreError::StoreError(const std::string& message) : Error(ExitCode::kStoreFailed, message) {}
RunError::RunError(const std::string& message) : Error(ExitCode::kCaseFailed, message) {}
CompileError::CompileError(const std::string& message, std::string log, std::string source)
    : RunError(message), log_(std::move(log)), source_(std::move(source)) {}
OutOfMemoryError::OutOfMemoryError(const std::string& message) : RunError(message) {}
UnsupportedError::UnsupportedError(const std::string& message) : RunError(message) {}
EnvironmentError::EnvironmentError(const std::string& message) : RunError(message) {}
OutOfHostMemoryError::OutOfHostMemoryError(const std::string& message)
    : OutOfMemoryError(message) {}
MissingToolError::MissingToolError(const std::string& message) : UnsupportedError(message) {}

// Defined here so that the type information lives in libkernelbatch alone: an error thrown in a
// plugin is caught by its type in the core.
Error::~Error() = default;
SpecError::~SpecError() = default;
DeviceError::~DeviceError() = default;
StoreError::~StoreError() = default;
RunError::~RunError() = default;
CompileError::~CompileError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
UnsupportedError::~UnsupportedError() = default;
FailureOfSurroundings::~FailureOfSurroundings() = default;
EnvironmentError::~EnvironmentError() = default;
OutOfHostMemoryError::~OutOfHostMemoryError() = default;
MissingToolError::~MissingToolError() = default;

void warn(const std::string& message) noexcept {
  try {
    spdlog::warn("{}", visible(message));
  } catch (...) {  // a log that cannot be written is no reason to end the process
  }
}

}  // namespace kernelbatch
