// Asynchronous copies of one block that are not complete. Private to the host device's sources.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/device/host/cuda/kernelbatch/host_abi.hpp"
#include "core/device/host/tensor_box.hpp"

namespace kernelbatch::host {

/// A copy between its begin and a wait for it.
struct CopyInFlight {
  kernelbatch_host::AsyncCopy copy{};
  unsigned thread = 0;
  unsigned group = 0;        ///< of its thread: the number of groups closed before
  unsigned number = 0;       ///< of its thread
  std::uint64_t check = 0;   ///< number of the copy among those that are checked; 0: unchecked
  unsigned checks = 0;       ///< checked parts, whose numbers follow
  bool has_landed = false;   ///< the target has its data
  std::vector<char> data{};  ///< a source that was read before the target is written
  std::unique_ptr<const TensorBox> box{};  ///< of a tensor: its addresses replace those of `copy`
};

/// Data arrive as late as the rules allow: when a thread waits for the copy, or the block ends.
class AsyncCopies {
 public:
  using Complete = std::function<void(CopyInFlight&)>;

  void begin_block(unsigned threads);
  bool empty() const noexcept { return in_flight_ == 0; }
  void add(CopyInFlight copy);
  void commit(unsigned thread, int kind) { ++groups(thread, kind).closed; }
  /// Calls `complete` for each copy of the thread's closed groups except the newest `prior`.
  void wait(unsigned thread, int kind, unsigned prior, const Complete& complete);
  /// Calls `action` for each bulk copy of these groups, which stay in flight.
  void for_each(unsigned thread, unsigned prior, const Complete& action);
  /// The thread's copies so far also complete at a barrier.
  void bind(unsigned thread, void* barrier, unsigned round, bool arrives);
  /// Calls `complete` for all copies of a barrier for which `has_passed(round)`, and `arrive` for
  /// each arrival that depends on copies.
  void wait_at(void* barrier, const std::function<bool(unsigned round)>& has_passed,
               const Complete& complete, const std::function<void()>& arrive);
  void finish(const Complete& complete);

  /// Reads the source; the target is written later.
  static void read_source(CopyInFlight& flight);
  /// Writes the target, if that was not done.
  static void land(CopyInFlight& flight);

 private:
  struct Groups {
    std::vector<CopyInFlight> copies;
    unsigned closed = 0, begun = 0;
  };
  /// At a barrier: one copy, or those that a thread had begun before.
  struct Bound {
    CopyInFlight flight;
    bool is_of_thread = false, arrives = false;
  };
  Groups& groups(unsigned thread, int kind) {
    return groups_[thread][static_cast<std::size_t>(kind)];
  }
  template <class Chosen>
  void take(Groups& groups, const Chosen& chosen, const Complete& complete);

  std::vector<std::array<Groups, 3>> groups_;  ///< by thread and kind
  std::unordered_map<void*, std::vector<Bound>> bound_;
  std::size_t in_flight_ = 0;
};

}  // namespace kernelbatch::host
