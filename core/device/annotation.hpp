// Ranges shown by profilers: case, variant, phase.
#pragma once

#include <string>

namespace kernelbatch {

/// A named range on the calling thread's time line, from construction to destruction; ranges nest.
/// Overhead is negligible without a profiler.
class AnnotatedRange {
 public:
  explicit AnnotatedRange(const std::string& name);
  ~AnnotatedRange();
  AnnotatedRange(const AnnotatedRange&) = delete;
  AnnotatedRange& operator=(const AnnotatedRange&) = delete;
};

}  // namespace kernelbatch
