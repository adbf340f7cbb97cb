// A device that watches what kernels do with memory, and what it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// Where in a kernel's text something happened. `line` is 0 where that is unknown.
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

/// One fault of a kernel, however often it happens. The threads are those of its first time.
struct KernelFinding {
  CheckKind kind = CheckKind::kMemory;
  /// Two threads write the same value: no result depends on it.
  bool is_harmless = false;
  std::string kernel;
  CodePlace place;
  ThreadPlace thread;
  /// Of a race, the other access; of a barrier, a thread that does not come there.
  bool has_other = false;
  CodePlace other_place;
  ThreadPlace other;
  /// What the thread does: "reads s[35], which thread (35,0,0) writes at source:14:9, with no
  /// barrier between".
  std::string what;
  std::string array;          ///< empty where the memory belongs to none
  std::int64_t element = -1;  ///< of the array
  std::uint64_t count = 0, blocks = 0;
  std::int64_t call = 1;  ///< of the launches since findings were taken last
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

/// The checks of a device that was opened for them. Findings of one place, or pair of places, are
/// one.
class AccessChecks {
 public:
  virtual ~AccessChecks() = default;
  /// What of an allocation kernels may use, and how messages call it. Parts of the allocation that
  /// are not described are no kernel's. `item` is the bytes of an element.
  virtual void describe(const void* memory, std::size_t bytes, std::size_t item,
                        const std::string& name, ArrayUse use) = 0;
  /// Calls `told` for each new finding at once, before the access happens, since that may end the
  /// process; its counts are those of that moment. An empty function ends that.
  virtual void on_finding(std::function<void(const KernelFinding&)> told) = 0;
  /// All findings since the last call, in the order in which they came.
  virtual std::vector<KernelFinding> take_findings() = 0;
  /// A tool outside of this process finds faults by allocations: an array must be one of its own,
  /// without guards, and nobody may write an output before the kernels do.
  virtual bool is_outside() const noexcept { return false; }
};

}  // namespace kernelbatch
