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

/// Standard deviation of the logarithms of processes' medians, as far as it is known before any is
/// taken: 0.27 µs for each launch and 0.36 % on a GPU, 1 % on the host. Two processes differ by
/// less than 0.75 µs and 1 % in 95 % of pairs then (seen on an H200, five runs of 117 variants).
double usual_process_deviation(const ResultRecord& record);

/// Puts in place of `summary`'s interval one that holds the median of another run with as many
/// processes in 95 % of cases: the processes' medians vary by a standard deviation s, which is
/// estimated from them and from `usual`, as if that came of four further degrees of freedom; the
/// half-width is t·s·√(2/k) of the logarithm for k processes. Never narrower than it was. One
/// process has `usual` alone.
void state_for_next_run(Summary& summary, std::span<const std::vector<double>> by_process,
                        double usual);

}  // namespace kernelbatch
