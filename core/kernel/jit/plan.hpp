// JitPlan: what is computed once about calls of a JIT kernel with arguments of given types.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/jit/source.hpp"
#include "core/kernel/launch/argument.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// Dtype, number of axes and contiguity of every argument, in a fixed size: made and compared
/// without allocating.
class JitSignature {
 public:
  static constexpr std::size_t kMostArguments = 64;

  /// Throws SpecError naming `kernel` for more arguments than that, or for an array that is not on
  /// `device`.
  JitSignature(std::span<const Argument> arguments, const Device& device,
               const std::string& kernel);
  bool operator==(const JitSignature& other) const noexcept;

 private:
  const Device* device_;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, kMostArguments> code_;
};

/// A compiled instance of a JIT kernel, and how its arguments are packed.
class JitPlan {
 public:
  /// Chooses the template's arguments, compiles and loads. `text` goes before the source's own.
  /// Throws SpecError for arguments that the kernel cannot take, CompileError.
  JitPlan(const JitSource& source, const std::string& entry, const std::string& text,
          const std::vector<std::string>& options,
          const std::vector<std::pair<std::string, std::string>>& constants,
          std::span<const Argument> arguments, Device& device, JitSignature signature);

  const JitSignature& signature() const noexcept { return signature_; }
  /// Allocates nothing. Throws SpecError for a value that its parameter cannot hold.
  void launch(const LaunchShape& shape, std::span<const Argument> arguments, Stream& stream) const;

 private:
  enum class Form : std::uint8_t { kPointer, kView, kScalar };
  struct Slot {
    Form form;
    DType dtype;
    std::size_t size;
    std::string name;  ///< for messages
  };
  Slot slot_of(const JitParameter& parameter, const Argument& argument, std::size_t at) const;
  void require_sizes() const;

  JitSignature signature_;
  std::string kernel_name_;
  std::vector<Slot> slots_;
  std::unique_ptr<Program> program_;
  Kernel* kernel_ = nullptr;
};

}  // namespace kernelbatch
