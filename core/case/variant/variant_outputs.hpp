// VariantOutputs: one variant's outputs, and their comparison with the reference.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/case/memory_budget.hpp"
#include "core/case/shared_arrays.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/verify/guarded_output.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Outputs between guard bands on a device. Reads them, compares them with the reference for their
/// set of inputs, and fills the record: errors, status, reason.
class VariantOutputs {
 public:
  struct Setting {
    SharedArrays& shared;
    KeptArrays kept;  ///< outputs to be stored
    MemoryBudget& budget;
    ResultRecord& record;
  };
  /// `specs`, with the tolerances that apply, and `want` belong to the first set of inputs; if
  /// `want` is null, these outputs are the reference's own.
  VariantOutputs(Setting setting, std::vector<OutputArray> specs, const HiddenOutputs* want);

  /// The array of an output; the same one each time. Throws std::logic_error for a name that the
  /// workload does not declare.
  Array array(std::string_view name, Device& device);
  const OutputArray& spec(std::string_view name) const;
  std::vector<GuardedOutput*> all() const;
  const std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>>& named() const noexcept {
    return guarded_;
  }
  /// Adds outputs and their reference for one more set of inputs.
  void add_set(const std::vector<OutputArray>& specs, const HiddenOutputs* want, Stream& stream);
  /// Keeps the outputs' initial contents on the device, if there is room.
  void keep_contents(Stream& stream);

  /// Refills elements and guards, and waits for that.
  void refill(Stream& stream);
  /// Checks the guards after the first call, reads its outputs and compares them.
  bool verify_first(Stream& stream);
  /// Compares the first call's outputs in host memory, and keeps them if they are wrong or may be
  /// stored. Returns true if all that have a reference are correct.
  bool compare_first(const OutputArrays& got);
  /// Compares the current outputs with the reference for a set of inputs. Errors are recorded.
  Wrong compare_again(std::size_t set, Stream& stream);
  /// True if a few elements of the last compared call were wrong, and `call` gives others.
  bool is_sporadic(const std::function<void()>& call, Stream& stream);
  /// True if `call` gives the right outputs for the first set of inputs when they are zero before
  /// it, except those with contents of their own.
  bool is_right_on_zeros(const std::function<void()>& call, Stream& stream);
  /// True if each output that is correct for both sets of inputs distinguishes() them. The current
  /// outputs are those of `set`.
  bool distinguish(std::size_t other, std::size_t set, Stream& stream);
  /// Name of an output that is correct for the `other` set of inputs and wrong for `set`; empty if
  /// there is none.
  std::string answer_of_other_set(std::size_t other, std::size_t set, Stream& stream);
  /// True if nothing was written outside the outputs; otherwise the error is recorded.
  bool guards_are_whole(Stream& stream);
  /// Expected values of an output on the device; without memory if there is no room, or kernels
  /// could read them.
  Array want_on_device(std::size_t set, const OutputArray& spec, Stream& stream);
  /// Expected values of an output of the first set; empty: none.
  Array want(const OutputArray& spec) const;

  /// Outputs to be stored, in host memory: of the first call, or the current ones of a later call
  /// that was wrong. `stream` is null for a reference.
  OutputArrays take(std::size_t set, Stream* stream);

 private:
  OutputArrays read(Stream& stream);

  Setting setting_;
  /// By set of inputs: outputs and expected values.
  std::vector<std::pair<std::vector<OutputArray>, const HiddenOutputs*>> sets_;
  std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>> guarded_;
  std::set<std::string, std::less<>> overrun_;  ///< outputs whose guard bands have changed
  HiddenOutputs got_;
  bool is_few_ = false;  ///< Wrong::is_few of got_
  std::map<std::pair<std::size_t, std::string>, Array> reference_copies_;  ///< by set and output
};

}  // namespace kernelbatch
