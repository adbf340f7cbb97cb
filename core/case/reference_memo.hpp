// ReferenceMemo: a worker's last reference outputs, for the next case with the same inputs.
#pragma once

#include <string>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// The configurations of a search share inputs and reference outputs. One set is kept, which needs
/// the memory of one more case.
class ReferenceMemo {
 public:
  /// Null if the last outputs have another key, or `key` is empty.
  const HiddenOutputs* find(const std::string& key) const {
    return key.empty() || key != key_ ? nullptr : &outputs_;
  }
  void keep(const std::string& key, const HiddenOutputs& outputs) {
    key_ = key;
    outputs_ = outputs;
  }
  /// Before a case with this key: drops outputs with another key.
  void drop_others(const std::string& key) {
    if (key == key_) return;
    key_.clear();
    outputs_.clear();
  }

 private:
  std::string key_;
  HiddenOutputs outputs_;
};

}  // namespace kernelbatch
