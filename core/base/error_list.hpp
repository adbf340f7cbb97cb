// Collects errors of independent parts and reports them together.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/error.hpp"

namespace kernelbatch {

/// Two or more errors. Its place is that of the first; `what()` has at least a line for each.
class SpecErrors final : public SpecError {
 public:
  /// `all` has at least two errors.
  explicit SpecErrors(std::vector<SpecError> all);
  ~SpecErrors() override;

  const std::vector<SpecError>& all() const noexcept { return all_; }

 private:
  std::vector<SpecError> all_;
};

/// Runs parts of reading or checking a job, and collects their errors.
class ErrorList {
 public:
  /// Runs `body` and keeps its SpecError; other errors propagate. Returns true if there was none.
  template <class Body>
  bool attempt(const Body& body) {
    try {
      body();
      return true;
    } catch (const SpecError& error) {
      add(error);
      return false;
    }
  }
  /// Equal texts are kept once; nothing is added once the list is full.
  void add(const SpecError& error);
  /// True if the list is full: further checks are unnecessary.
  bool is_full() const noexcept { return errors_.size() >= kMost; }

  bool empty() const noexcept { return errors_.empty(); }
  std::size_t size() const noexcept { return errors_.size(); }

  /// Throws the collected errors in the order of places: a single error as it is, else SpecErrors.
  /// A full list ends with a note that more may follow.
  void raise() const;

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<SpecError> errors_;
};

}  // namespace kernelbatch
