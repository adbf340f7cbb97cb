// Program: a kernel's source, compiled and loaded on first use on a device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Lazy: the constructor neither compiles nor needs a device. Movable; must not outlive a device
/// that it was used on.
class Program {
 public:
  explicit Program(KernelSource source);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const KernelSource& source() const noexcept { return source_; }
  /// The loaded kernel; the first call per device compiles it (or takes it from the cache) and
  /// loads it.
  Kernel& kernel(Device& device, const std::string& entry);
  Module& module(Device& device);

 private:
  struct Loaded;
  Loaded& load(Device& device);

  KernelSource source_;
  std::map<Device*, std::unique_ptr<Loaded>> loaded_;
};

struct CachedImage {
  Image image;
  /// Nothing if this process already had the image, or it was precompiled.
  std::optional<ProgramLog::Build> build = {};
};

/// The compiled image of a source: from memory, from the user's cache, from the site's, or compiled
/// now. If several threads and processes request one key at once, one of them compiles and the
/// others use its result. With KERNELBATCH_KEEP_SOURCE the source is written there; with
/// KERNELBATCH_DUMP_SOURCE the log of a CompileError ends with the numbered source.
CachedImage compile_cached(const KernelSource& source, Compiler& compiler);

/// Compiles and loads of the device's kernels since the last call.
ProgramLog take_program_log(Device& device);

}  // namespace kernelbatch
