// Memory checks of a device: it monitors what kernels access and reports findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// Source location in a kernel's text. `line` is 0 if unknown.
struct CodePlace {
  std::string file;
  int line = 0, column = 0;
  std::string text;  ///< the line, without the spaces around it

  bool operator==(const CodePlace&) const = default;
};

/// A thread of a launch.
struct ThreadPlace {
  Dim3 thread = {}, block = {};
};

/// One fault of a kernel, however often it occurs. The threads are those of its first occurrence.
struct KernelFinding {
  CheckKind kind = CheckKind::kMemory;
  /// Two threads write the same value: no result depends on it.
  bool is_harmless = false;
  std::string kernel;
  CodePlace place;
  ThreadPlace thread;
  /// The other access of a race, or a thread that does not reach a barrier.
  bool has_other = false;
  CodePlace other_place;
  ThreadPlace other;
  /// The thread's action: "reads s[35], which thread (35,0,0) writes at source:14:9, with no
  /// barrier between".
  std::string what;
  std::string array;          ///< empty if the memory belongs to none
  std::int64_t element = -1;  ///< of the array
  std::uint64_t count = 0, blocks = 0;
  std::int64_t call = 1;  ///< launch number since the last take_findings()
};

/// "(3,0,0)"
std::string to_text(const Dim3& place);
/// "source:14:9", or "an unknown line".
std::string to_text(const CodePlace& place);

/// How kernels use an array.
enum class ArrayUse : std::uint8_t {
  kInput,    ///< only read
  kOutput,   ///< begins without values
  kUpdated,  ///< begins with values, and is written
  kScratch,  ///< as an output
};

/// What a GPU would do for the memory accesses of a kernel, counted in some of its blocks.
struct KernelCounts {
  std::string kernel;
  std::uint64_t blocks = 0;    ///< whose accesses were counted
  std::uint64_t requests = 0;  ///< of warps to global memory
  std::uint64_t sectors = 0;   ///< of 32 bytes, of these requests
  std::uint64_t shared_requests = 0;
  std::uint64_t bank_conflicts = 0;  ///< further passes over the banks of shared memory
  std::uint64_t barriers = 0;        ///< of these blocks
};

/// Checks of a device that was opened with them. Findings at the same place, or pair of places, are
/// merged.
class AccessChecks {
 public:
  virtual ~AccessChecks() = default;
  /// Describes the part of an allocation that kernels may use, and its name in messages. Kernels
  /// must not access other parts of the allocation. `item` is the size of an element in bytes.
  virtual void describe(const void* memory, std::size_t bytes, std::size_t item,
                        const std::string& name, ArrayUse use) = 0;
  /// Calls `told` immediately for each new finding, before the access happens, since the access may
  /// end the process. Counts are those of that moment. An empty function stops the reports.
  virtual void on_finding(std::function<void(const KernelFinding&)> told) = 0;
  /// All findings since the last call, in order of occurrence.
  virtual std::vector<KernelFinding> take_findings() = 0;
  /// Counts since the last call, for each kernel; empty if the device cannot count.
  virtual std::vector<KernelCounts> take_counts() { return {}; }
  /// True if an external tool finds faults by allocation: each array then needs its own allocation
  /// without guards, and outputs must stay unwritten until the kernels run.
  virtual bool is_outside() const noexcept { return false; }
};

}  // namespace kernelbatch
