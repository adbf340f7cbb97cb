#include "core/report/explain/gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/report/explain/words.hpp"

namespace kernelbatch::explain {
namespace {

/// Smaller ratios are treated as equal.
constexpr double kLeastRatio = 1.02;
/// Smaller shares are not reported.
constexpr double kLeastShare = 0.05;

GapShare none() { return {"", kMissing}; }

GapShare memory(const Facts& slow, const Facts& fast) {
  const bool is_counted = !std::isnan(slow.dram_bytes) && !std::isnan(fast.dram_bytes);
  const double a = is_counted ? slow.dram_bytes : slow.declared_bytes;
  const double b = is_counted ? fast.dram_bytes : fast.declared_bytes;
  constexpr double kMore = 1.01;
  if (!(a > kMore * b)) return none();
  std::string text = fmt::format("it moves {} the bytes of {} ({} for {}", times(a, b),
                                 is_counted ? "DRAM" : "memory, as declared",
                                 format_decimal(a, "B"), format_decimal(b, "B"));
  if (is_counted && slow.declared_bytes > 0)
    text += fmt::format("; {} must move", format_decimal(slow.declared_bytes, "B"));
  return {text + ")", a / slow.memory_ceiling - b / fast.memory_ceiling};
}

GapShare cache(const Facts& slow, const Facts& fast) {
  return {fmt::format("it takes {} the bytes through the L2 cache ({} for {})",
                      times(slow.cache.done, fast.cache.done), format_decimal(slow.cache.done, "B"),
                      format_decimal(fast.cache.done, "B")),
          slow.cache.time() - fast.cache.time()};
}

GapShare shared(const Facts& slow, const Facts& fast) {
  std::string text = "it uses shared memory for longer";
  constexpr double kSome = 0.2;
  if (slow.conflict_share > kSome)
    text += fmt::format(" ({:.0f} % of its turns are bank conflicts)", 100 * slow.conflict_share);
  // The share is relative to an SM's cycles.
  return {text, slow.shared_share * slow.time - fast.shared_share * fast.time};
}

GapShare arithmetic(const Facts& slow, const Facts& fast, std::string_view name,
                    Rate Facts::*rate) {
  const double a = (slow.*rate).done, b = (fast.*rate).done;
  return {b > 0 ? fmt::format("it does {} the {} operations", times(a, b), name)
                : fmt::format("it does {} in {}, the other none", format_decimal(a, "FLOP"), name),
          (slow.*rate).time() - (fast.*rate).time()};
}

GapShare issue(const Facts& slow, const Facts& fast) {
  const double a = slow.executed, b = fast.executed;
  const std::string text =
      a > b ? fmt::format("it issues {} the instructions ({} for {})", times(a, b),
                          format_decimal(a, ""), format_decimal(b, ""))
            : "it issues instructions for longer";
  return {text, slow.issue_share * slow.time - fast.issue_share * fast.time};
}

/// With half of its blocks resident, work that waits for unhidden loads takes up to twice the time.
/// The increase is the part that is not hidden.
GapShare waiting(const Facts& slow, const Facts& fast) {
  const bool is_known = !std::isnan(fast.half_occupancy);
  const double hidden_less =
      slow.half_occupancy - (is_known ? std::max(1.0, fast.half_occupancy) : 1.0);
  constexpr double kSome = 0.1;
  if (!(hidden_less > kSome)) return none();
  std::string text = fmt::format(
      "it has too few loads in flight (with half of its blocks resident it takes {:.2f}x the time",
      slow.half_occupancy);
  if (is_known) text += fmt::format(", the other {:.2f}x", fast.half_occupancy);
  return {text + ")", hidden_less * slow.time};
}

/// Uses the twins without arithmetic.
GapShare twin_arithmetic(const Facts& slow, const Facts& fast) {
  return {"its arithmetic takes longer (timed without it)",
          (1 - slow.no_arithmetic) * slow.time - (1 - fast.no_arithmetic) * fast.time};
}

/// Time between kernels, for devices with their own timestamps; lists of one launch are too coarse.
double between_kernels(const Facts& f) {
  if (!f.is_gpu || !(f.launches > 1) || std::isnan(f.kernel_time) || f.kernel_time > f.time)
    return kMissing;
  return f.time - f.kernel_time;
}

GapShare launches(const Facts& slow, const Facts& fast) {
  const std::string text =
      slow.launches == fast.launches
          ? "more time passes around its kernels"
          : fmt::format("it launches {:.0f} kernels for {:.0f}", slow.launches, fast.launches);
  if (slow.launches != fast.launches)
    return {text, (slow.launches - fast.launches) * slow.empty_launch};
  // The list is from another call than the median, so the remaining time is capped at the usual
  // cost of launches.
  const double most = 2 * slow.launches * slow.empty_launch;
  const double more = between_kernels(slow) - between_kernels(fast);
  return std::isnan(more) ? none() : GapShare{text, std::min(most, more)};
}

GapShare imbalance(const Facts& slow, const Facts& fast) {
  constexpr double kMore = 0.01;
  if (!(slow.busy_share < fast.busy_share - kMore)) return none();
  return {fmt::format("its SMs are idle for longer ({:.0f} % of the time, for {:.0f} %)",
                      100 * (1 - slow.busy_share), 100 * (1 - fast.busy_share)),
          (fast.busy_share - slow.busy_share) * slow.time};
}

/// The single largest part of the gap caused by the kernel's own work: parts of units that work
/// concurrently do not add up.
GapShare main_part(const Facts& slow, const Facts& fast, std::vector<GapShare> named, double gap) {
  // More issued instructions are a weaker explanation than their effects, unless issuing them takes
  // the time.
  constexpr double kIssues = 0.6, kMuchMore = 1.5, kHalf = 0.5;
  GapShare issued = issue(slow, fast), waits = waiting(slow, fast);
  const auto most = std::ranges::max_element(named, {}, &GapShare::seconds);
  const double seconds = most == named.end() ? 0 : most->seconds;
  if (slow.issue_share > kIssues && issued.seconds > kMuchMore * seconds) return issued;
  if (seconds < kHalf * gap && waits.seconds > seconds) return waits;
  return most == named.end() ? issued : *most;
}

}  // namespace

Gap explain_gap(const Facts& slow, const Facts& fast) {
  Gap gap;
  gap.ratio = slow.time / fast.time;
  gap.seconds = slow.time - fast.time;
  if (!(gap.ratio > kLeastRatio)) return gap;
  std::vector<GapShare> named = {memory(slow, fast),
                                 cache(slow, fast),
                                 shared(slow, fast),
                                 arithmetic(slow, fast, "float32", &Facts::float32),
                                 arithmetic(slow, fast, "float64", &Facts::float64),
                                 arithmetic(slow, fast, "float16", &Facts::float16),
                                 twin_arithmetic(slow, fast)};
  const auto is_small = [&](const GapShare& each) {
    return std::isnan(each.seconds) || each.seconds < kLeastShare * gap.seconds;
  };
  std::erase_if(named, is_small);
  std::vector<GapShare> parts = {launches(slow, fast), imbalance(slow, fast)};
  parts.push_back(main_part(slow, fast, std::move(named), gap.seconds));
  std::erase_if(parts, is_small);
  std::ranges::stable_sort(parts, std::ranges::greater{}, &GapShare::seconds);
  double left = 1;
  for (GapShare& part : parts) {
    part.share = std::min(left, part.seconds / gap.seconds);
    if (part.share < kLeastShare) continue;
    left -= part.share;
    gap.shares.push_back(std::move(part));
  }
  gap.unexplained = left;
  return gap;
}

std::string to_text(const Gap& gap, const std::string& slow, const std::string& fast) {
  if (!(gap.ratio > kLeastRatio)) return fmt::format("{} takes as long as {}", slow, fast);
  std::string text = fmt::format("{} is {:.2f}x slower than {}: ", slow, gap.ratio, fast);
  for (std::size_t k = 0; k < gap.shares.size(); ++k)
    text += fmt::format("{}{}, which explains {:.0f} % of the gap", k == 0 ? "" : "; ",
                        gap.shares[k].what, 100 * gap.shares[k].share);
  if (gap.shares.empty()) return text + "no known quantity explains the gap";
  if (gap.unexplained >= kLeastShare)
    text += fmt::format("; the rest ({:.0f} %) is unexplained", 100 * gap.unexplained);
  return text;
}

}  // namespace kernelbatch::explain
