// JitPlan: a JIT kernel compiled for the types of its arguments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/jit/source.hpp"
#include "core/kernel/launch/argument_signature.hpp"
#include "core/kernel/launch/kernel_parameters.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// The constants of a kernel by name, with their values as C++ text.
using ConstantTexts = std::vector<std::pair<std::string, std::string>>;

/// The instance for a call with these arguments: the entry with its template arguments, "f<float>",
/// and its parameters with all deduced types. Throws SpecError for arguments that the kernel cannot
/// take.
struct JitInstance {
  JitInstance(const JitSource& source, const std::string& entry, const ConstantTexts& constants,
              std::span<const Argument> arguments);

  std::string name;
  std::vector<FormalParameter> parameters;
};

class JitPlan {
 public:
  /// Compiles and loads; `text` is put before the source's own. Throws SpecError for arguments that
  /// the kernel cannot take, CompileError.
  JitPlan(const JitSource& source, const std::string& entry, const std::string& text,
          const std::vector<std::string>& options, const ConstantTexts& constants,
          std::span<const Argument> arguments, Device& device);

  /// True if it can be used for these arguments.
  bool fits(std::span<const Argument> arguments, const Device& device) const noexcept {
    return signature_.matches(arguments, device);
  }
  /// Allocates nothing. Throws SpecError for a value that its parameter cannot hold.
  void launch(const LaunchShape& shape, std::span<const Argument> arguments, Stream& stream) const;

 private:
  ArgumentSignature signature_;
  std::unique_ptr<Program> program_;
  Kernel* kernel_ = nullptr;
  std::unique_ptr<KernelParameters> parameters_;
};

}  // namespace kernelbatch
