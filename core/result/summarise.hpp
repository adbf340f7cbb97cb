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
  double processes = 0;          ///< from process to process
  double runs = 0;               ///< from run to run beside that: what a whole run has alike
  double runs_at_one_clock = 0;  ///< the same of runs whose clocks are known and alike
};

/// On a GPU 0.1 µs for each launch and 0.1 % from process to process. Seen on two H100: 0.08 µs and
/// 0.04 %, as likely as not, with 3 to 4 degrees of freedom, in 213 results of three processes
/// each. 0.3 % from run to run: clocks of 1980 and 1995 MHz were seen, which are 0.76 % apart; 0.1
/// % where they are alike. On the host 2 % and 2.5 % (two cores of a virtual machine whose speed
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
