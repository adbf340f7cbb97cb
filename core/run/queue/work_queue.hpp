// WorkQueue: processes that run one job claim its cases.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/claims.hpp"
#include "core/job/slurm.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Each process begins with its own share of the cases (JobShard), the most expensive lot first.
/// Then it takes lots of other shares, one of each in turn: those of slower processes, of ones that
/// have not started, and of dead ones. A process thus plans few shares, and claims rarely collide.
class WorkQueue {
 public:
  using Cases = std::vector<PlannedCase>;
  /// The cases of a share.
  using PlanShare = std::function<Cases(std::size_t index)>;

  WorkQueue(Claims& claims, const JobShard& own, Cases own_cases, PlanShare plan_share);

  struct Work {
    std::string key;  ///< for finish()
    Cases cases;      ///< in descending cost
    bool is_own = false;
    bool is_first = false;  ///< no other process has begun it
  };
  /// Claims the next lot; nothing if no lot is free.
  std::optional<Work> next();
  /// All results of a lot are stored.
  void finish(const Work& work) { claims_.finish(work.key); }

 private:
  /// The lots of a share, and the first one that may be free.
  struct Share {
    std::size_t index = 0;
    std::size_t lot = 0, first = 0;  ///< the next lot, and its first case
    bool is_finished = true;         ///< all lots so far are
  };
  std::optional<Work> take(Share& share, const Cases& cases);
  void list_others();

  Claims& claims_;
  JobShard own_;
  Cases own_cases_;
  PlanShare plan_share_;
  Share own_share_;
  std::optional<std::vector<Share>> others_;
  std::size_t turn_ = 0;
};

}  // namespace kernelbatch
