// Fences, barriers and warp operations: the required participants and the order that they
// establish.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/device/host/checks/block_checks.hpp"

namespace kernelbatch::host {

void BlockChecks::fence(unsigned thread, bool is_block_scope) {
  finish_pending();
  clocks_.fence(thread, is_block_scope ? Scope::kBlock : Scope::kDevice);
}

void BlockChecks::come_to_barrier(unsigned thread, const void* place) {
  finish_pending();
  waits_at_[thread] = place;
  if (barrier_place_ == nullptr) {
    barrier_place_ = place;
    barrier_thread_ = thread;
    return;
  }
  if (place == barrier_place_ || is_broken_) return;
  const CodePlace here = checker_.code_place(place), there = checker_.code_place(barrier_place_);
  if (here.line == 0 || here == there) return;
  checker_.report(
      Fault::kOtherBarrier, action(thread, place), barrier_place_, [&](KernelFinding& finding) {
        finding.has_other = true;
        finding.other = place_of_thread(barrier_thread_);
        finding.what = fmt::format("waits here for the barrier to which thread {} comes at {}",
                                   to_text(finding.other.thread), to_text(finding.other_place));
      });
}

void BlockChecks::pass_barrier(unsigned ended, unsigned one) {
  if (ended > 0 && !is_broken_)
    checker_.report(
        Fault::kEndedBeforeBarrier, action(barrier_thread_, barrier_place_), nullptr,
        [&](KernelFinding& finding) {
          finding.has_other = true;
          finding.other = place_of_thread(one);
          finding.what = fmt::format(
              "waits at a barrier to which {} of the block never {}: thread {} has ended",
              counted(ended, "thread"), ended == 1 ? "comes" : "come",
              to_text(finding.other.thread));
        });
  if (is_counted_ && barrier_place_ != nullptr) ++checker_.counts().barriers;
  barrier_place_ = nullptr;
  std::ranges::fill(waits_at_, nullptr);
  clocks_.pass_barrier();
}

void BlockChecks::come_to_warp(unsigned thread, unsigned mask, const void* place) {
  finish_pending();
  warp_places_[thread / kWarp] = place;
  waits_at_[thread] = place;
  if ((mask >> thread % kWarp & 1u) != 0) return;
  checker_.report(
      Fault::kOutsideOfMask, action(thread, place), nullptr, [&](KernelFinding& finding) {
        finding.what =
            fmt::format("is lane {}, which is not in the mask {:#x} of its own warp operation",
                        thread % kWarp, mask);
      });
  is_broken_ = true;
}

void BlockChecks::pass_warp(unsigned warp, unsigned arrived, unsigned mask, unsigned ended) {
  const unsigned missing = mask & ended;
  // Lanes outside their own mask were reported when they arrived.
  if (missing != 0 && arrived != 0 && (arrived & ~mask) == 0 && !is_broken_) {
    const unsigned first = warp * kWarp;
    const unsigned here = first + static_cast<unsigned>(std::countr_zero(arrived));
    checker_.report(
        Fault::kEndedInMask, action(here, warp_places_[warp]), nullptr,
        [&](KernelFinding& finding) {
          const auto lane = static_cast<unsigned>(std::countr_zero(missing));
          finding.has_other = true;
          finding.other = place_of_thread(first + lane);
          finding.what = fmt::format(
              "names lane {} in the mask of a warp operation, whose thread {} has ended", lane,
              to_text(finding.other.thread));
        });
  }
  clocks_.pass_warp(warp, arrived);
}

namespace {

/// Differs from the address of every word of memory.
std::uintptr_t address_of_round(const void* barrier, std::uint64_t round) noexcept {
  return number_of(barrier) + (((round & 0x7fffu) + 1) << 48);
}

}  // namespace

void BlockChecks::arrive(unsigned thread, const void* barrier, std::uint64_t round) {
  finish_pending();
  clocks_.publish(thread, checker_.publication_of(address_of_round(barrier, round)), true);
}

void BlockChecks::leave(unsigned thread, const void* barrier, std::uint64_t round) {
  if (const Publication* word = checker_.find_publication(address_of_round(barrier, round)))
    clocks_.observe(thread, *word);
}

void BlockChecks::wait_for_ever(unsigned thread, const void* place) {
  finish_pending();
  if (!is_broken_)
    checker_.report(Fault::kWaitsForEver, action(thread, place), nullptr,
                    [](KernelFinding& finding) {
                      finding.what =
                          "waits forever: it repeatedly reads what no thread that "
                          "can run writes";
                    });
  is_broken_ = true;
}

void BlockChecks::deadlock(unsigned waiting, const std::string& what) {
  if (is_broken_) return;
  checker_.report(Fault::kDeadlock, action(waiting, waits_at_[waiting]), nullptr,
                  [&](KernelFinding& finding) { finding.what = "waits forever: " + what; });
}

}  // namespace kernelbatch::host
