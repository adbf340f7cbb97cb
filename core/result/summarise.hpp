// Summaries of timing samples: of one process, and of several.
#pragma once

#include <span>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Median, quartiles (linear interpolation), MAD, and the 95 % interval of the median from order
/// statistics: ranks n/2 ∓ 1.96·√n/2, with no assumption about the distribution (W. Conover,
/// "Practical nonparametric statistics", section 3.2). Fewer than 6 samples: minimum and maximum.
Summary summarise(std::span<const double> samples);

/// s, of one kind, for each process that took any, in their order.
std::vector<std::vector<double>> times_by_process(const ResultRecord& record, SampleKind kind);

/// What medians of the same work vary by, as standard deviations of their logarithms, as far as it
/// is known before any is taken.
struct UsualDeviation {
  double processes = 0;  ///< from process to process
  double runs = 0;       ///< from run to run beside that: what a whole run has alike
};

/// On a GPU 0.27 µs for each launch and 0.36 % from process to process, so that two differ by less
/// than 0.75 µs and 1 % in 95 % of pairs (seen on an H200, five runs of 117 variants), and 0.1 %
/// from run to run. On the host 2 % and 2.5 % (seen on two cores of a virtual machine whose speed
/// drifts, 12 runs of 24 variants).
UsualDeviation usual_deviation(const ResultRecord& record);

/// Puts in place of `summary`'s interval one that holds the median of another run with as many
/// processes in 95 % of cases: the processes' medians vary by a standard deviation s, which is
/// estimated from them and from what is usual, as if that came of four further degrees of freedom.
/// The half-width of the logarithm is √2·√((t·s)²/k + (1.96·r)²) for k processes and what runs
/// usually vary by, r. Never narrower than it was.
void state_for_next_run(Summary& summary, std::span<const std::vector<double>> by_process,
                        const UsualDeviation& usual);

}  // namespace kernelbatch
