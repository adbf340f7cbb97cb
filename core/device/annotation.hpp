// Ranges that profilers show: case, variant, phase.
#pragma once

#include <string>

namespace kernelbatch {

/// A named range on the calling thread's time line, from construction to destruction; ranges nest.
/// Costs next to nothing where no profiler listens.
class AnnotatedRange {
 public:
  explicit AnnotatedRange(const std::string& name);
  ~AnnotatedRange();
  AnnotatedRange(const AnnotatedRange&) = delete;
  AnnotatedRange& operator=(const AnnotatedRange&) = delete;
};

}  // namespace kernelbatch
