// Error classes, each with its process exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/source_place.hpp"

namespace kernelbatch {

/// Exit codes of the command; scripts rely on them.
enum class ExitCode : int {
  kOk = 0,
  kVerificationFailed = 1,
  kBadSpec = 2,
  kCaseFailed = 3,
  kNoDevice = 4,
  kCompareGate = 5,
  kStoreFailed = 6,
  kResumable = 75,
};

/// Base class of all errors thrown by kernelbatch. The message states what failed, on what, why,
/// and what to do. `what()` is "<place>: <message>", or only the message if there is no place.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, const SourcePlace& place = {});
  ~Error() override;

  ExitCode exit_code() const noexcept { return code_; }
  const SourcePlace& place() const noexcept { return place_; }
  bool has_place() const noexcept { return !place_.file.empty(); }
  const std::string& message() const noexcept { return message_; }

 private:
  ExitCode code_;
  std::string message_;
  SourcePlace place_;
};

/// An invalid job file, command line, kernel definition or input (exit code 2).
class SpecError : public Error {
 public:
  explicit SpecError(const std::string& message, const SourcePlace& place = {});
  ~SpecError() override;
};

/// Throws SpecError with this place.
[[noreturn]] void fail_at(const SourcePlace& place, std::string_view message);

/// Runs `body`. A SpecError without a place gets this one, and `context` before its message.
template <class Body>
auto at_place(const SourcePlace& place, std::string_view context, const Body& body) {
  try {
    return body();
  } catch (const SpecError& error) {
    if (error.has_place()) throw;
    fail_at(place, std::string(context) + error.message());
  }
}

/// No usable device, no permission, or the requested device does not exist (exit code 4).
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message);
  ~DeviceError() override;
};

/// A result could not be written or read (exit code 6).
class StoreError : public Error {
 public:
  explicit StoreError(const std::string& message);
  ~StoreError() override;
};

/// A failure while a case ran (exit code 3): a launch, a copy, a driver call.
class RunError : public Error {
 public:
  explicit RunError(const std::string& message);
  ~RunError() override;
};

/// A call of a variant's work produced a wrong result.
class VerificationError : public Error {
 public:
  /// `fault`: a summary in two or three words, for a table: "100 wrong", "out of bounds".
  VerificationError(const std::string& message, std::string fault);
  ~VerificationError() override;

  const std::string& fault() const noexcept { return fault_; }

 private:
  std::string fault_;
};

/// The compiler refused a kernel's source. `log()` is the compiler's own text.
class CompileError : public RunError {
 public:
  CompileError(const std::string& message, std::string log, std::string source);
  ~CompileError() override;

  const std::string& log() const noexcept { return log_; }
  const std::string& source() const noexcept { return source_; }

 private:
  std::string log_;
  std::string source_;
};

/// An allocation that the device (or the host) cannot hold.
class OutOfMemoryError : public RunError {
 public:
  explicit OutOfMemoryError(const std::string& message);
  ~OutOfMemoryError() override;
};

/// The work cannot run on this device at all; recorded as `skipped` with this reason.
class UnsupportedError : public RunError {
 public:
  explicit UnsupportedError(const std::string& message);
  ~UnsupportedError() override;
};

/// Marks environment failures, unrelated to the work: no compiler, disk full, an unwritable folder,
/// a lost device, no host memory. The same work may succeed later, so a resumed run retries it.
class EnvironmentFailure {
 public:
  virtual ~EnvironmentFailure();

 protected:
  EnvironmentFailure() = default;
  EnvironmentFailure(const EnvironmentFailure&) = default;
  EnvironmentFailure& operator=(const EnvironmentFailure&) = default;
};

/// An environment failure while a case ran: of a folder, a program, a device.
class EnvironmentError : public RunError, public EnvironmentFailure {
 public:
  explicit EnvironmentError(const std::string& message);
  ~EnvironmentError() override;
};

/// The host has no memory left.
class OutOfHostMemoryError : public OutOfMemoryError, public EnvironmentFailure {
 public:
  explicit OutOfHostMemoryError(const std::string& message);
  ~OutOfHostMemoryError() override;
};

/// A program or library required by the work is missing; recorded as `skipped`.
class MissingToolError : public UnsupportedError, public EnvironmentFailure {
 public:
  explicit MissingToolError(const std::string& message);
  ~MissingToolError() override;
};

/// Logs a problem that must not throw (destructors, clean-up). Never writes to stdout.
void warn(const std::string& message) noexcept;

}  // namespace kernelbatch
