// ReferenceMemo: what the last reference of a worker wrote, for the next case with the same inputs.
#pragma once

#include <string>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// The configurations of a search have inputs and right outputs in common. One set is kept: the
/// memory is that of one more case.
class ReferenceMemo {
 public:
  /// Null where the last one was another's, or `key` is empty.
  const OutputArrays* find(const std::string& key) const {
    return key.empty() || key != key_ ? nullptr : &outputs_;
  }
  void keep(const std::string& key, const OutputArrays& outputs) {
    key_ = key;
    outputs_ = outputs;
  }
  /// A case begins that has no use for anything else.
  void drop_others(const std::string& key) {
    if (key == key_) return;
    key_.clear();
    outputs_.clear();
  }

 private:
  std::string key_;
  OutputArrays outputs_;
};

}  // namespace kernelbatch
