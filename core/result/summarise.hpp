// Summaries of timing samples of one process and of several.
#pragma once

#include <span>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Median, quartiles (linear interpolation), MAD, and the 95 % interval of the median from order
/// statistics: ranks n/2 ∓ 1.96·√n/2, with no assumption about the distribution (W. Conover,
/// "Practical nonparametric statistics", section 3.2). Fewer than 6 samples: minimum and maximum.
Summary summarise(std::span<const double> samples);

/// Samples of one kind in s, for each process that took any, in order.
std::vector<std::vector<double>> times_by_process(const ResultRecord& record, SampleKind kind);

/// Known variation of medians of the same work before any is taken, as standard deviations of their
/// logarithms.
struct UsualDeviation {
  double processes = 0;          ///< from process to process
  double runs = 0;               ///< additional variation from run to run
  double runs_at_one_clock = 0;  ///< the same for runs with known, equal clocks
};

/// On a GPU 0.1 µs per launch and 0.1 % from process to process. Measured on two H100: 0.08 µs and
/// 0.04 % in the median, with 3 to 4 degrees of freedom, in 213 results of three processes each.
/// 0.3 % from run to run: clocks of 1980 and 1995 MHz were observed, which differ by 0.76 %; 0.1 %
/// if they are equal. On the host 2 % and 2.5 % (two cores of a virtual machine whose speed drifts,
/// 12 runs of 24 variants).
UsualDeviation usual_deviation(const ResultRecord& record);

/// Replaces `summary`'s interval by one that contains the median of another run with the same
/// number of processes in 95 % of cases. The processes' medians vary by a standard deviation s,
/// estimated from them and from the usual variation with the weight of four degrees of freedom. The
/// half-width of the logarithm is √2·√((t·s)²/k + (1.96·r)²) for k processes and the usual
/// variation r between runs. The interval never becomes narrower.
void state_for_next_run(Summary& summary, std::span<const std::vector<double>> by_process,
                        const UsualDeviation& usual);

}  // namespace kernelbatch
