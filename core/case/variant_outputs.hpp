// VariantOutputs: what one variant writes, and how it compares with the reference.
#pragma once

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

/// Outputs between guard bands on a device. Reads them, compares them with the reference of the set
/// of inputs that they were made from, and fills the record: errors, status, reason.
class VariantOutputs {
 public:
  struct Setting {
    SharedArrays& shared;
    KeptArrays kept;  ///< which outputs the result is to have
    MemoryBudget& budget;
    ResultRecord& record;
  };
  /// `specs`, with the tolerances that hold, and `want` are of the first set of inputs; a null
  /// `want`: these outputs are the reference's own.
  VariantOutputs(Setting setting, std::vector<OutputArray> specs, const OutputArrays* want);

  /// The array of an output; the same one each time. Throws std::logic_error for a name that the
  /// workload does not declare.
  Array array(std::string_view name, Device& device);
  const OutputArray& spec(std::string_view name) const;
  std::vector<GuardedOutput*> all() const;
  const std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>>& named() const noexcept {
    return guarded_;
  }
  /// Outputs and what they are compared with for one more set of inputs.
  void add_set(const std::vector<OutputArray>& specs, const OutputArrays* want, Stream& stream);
  /// Keeps what outputs begin with on the device, where there is room.
  void keep_contents(Stream& stream);

  /// Fills elements and guards anew, and waits for that.
  void refill(Stream& stream);
  /// Reads what the first call left, between whole guards, and compares it.
  bool verify_first(Stream& stream);
  /// Compares outputs in host memory, of the first call. Returns whether all that has a reference
  /// is right.
  bool compare_first(OutputArrays got);
  /// Compares what is there with the reference of a set of inputs. What is wrong goes to the
  /// record.
  Wrong compare_again(std::size_t set, Stream& stream);
  /// Whether each output that is right for both sets of inputs distinguishes() them. The outputs
  /// are those of `set`.
  bool distinguish(std::size_t other, std::size_t set, Stream& stream);
  /// Name of an output that is right for the `other` set of inputs and wrong for `set`; empty if
  /// there is none.
  std::string answer_of_other_set(std::size_t other, std::size_t set, Stream& stream);
  /// Whether nothing was written outside of the outputs; else the record says what.
  bool guards_are_whole(Stream& stream);
  /// What an output is compared with, on the device; without memory where there is no room.
  Array want_on_device(std::size_t set, const OutputArray& spec, Stream& stream);
  /// What an output of the first set is compared with; null: nothing.
  const Array* want(const OutputArray& spec) const;

  /// Those of the first call, where they are kept.
  const OutputArrays& first() const noexcept { return got_; }
  /// What the result is to have, in host memory: of the first call, or of a later one that was
  /// wrong, as it is now. `stream` is null for a reference.
  OutputArrays take(std::size_t set, Stream* stream);

 private:
  OutputArrays read(Stream& stream);
  void give_back(OutputArrays outputs);

  Setting setting_;
  /// Of each set of inputs: its outputs, and what they are compared with.
  std::vector<std::pair<std::vector<OutputArray>, const OutputArrays*>> sets_;
  std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>> guarded_;
  std::set<std::string, std::less<>> overrun_;  ///< outputs whose guard bands have changed
  OutputArrays got_;
  std::map<std::pair<std::size_t, std::string>, Array> wants_there_;  ///< by set and output
};

}  // namespace kernelbatch
