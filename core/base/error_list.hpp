// Errors of parts that do not depend on each other, gathered and said at once.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/error.hpp"

namespace kernelbatch {

/// Two or more errors. Its place is that of the first; `what()` has a line or more for each.
class SpecErrors final : public SpecError {
 public:
  /// `all` has two errors or more.
  explicit SpecErrors(std::vector<SpecError> all);
  ~SpecErrors() override;

  const std::vector<SpecError>& all() const noexcept { return all_; }

 private:
  std::vector<SpecError> all_;
};

/// Runs parts of a job's reading or checking, and keeps what each refuses.
class ErrorList {
 public:
  /// Runs `body` and keeps the SpecError that it throws; other errors pass. Gives whether there was
  /// none.
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
  /// The same text is kept once; nothing more once the list is full.
  void add(const SpecError& error);
  /// Whether as many errors are kept as a person reads: what follows need not be checked.
  bool is_full() const noexcept { return errors_.size() >= kMost; }

  bool empty() const noexcept { return errors_.empty(); }
  std::size_t size() const noexcept { return errors_.size(); }

  /// Throws what was kept, in the order of places: as it is if it is one error, else SpecErrors. A
  /// full list ends with an error that more may follow.
  void raise() const;

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<SpecError> errors_;
};

}  // namespace kernelbatch
