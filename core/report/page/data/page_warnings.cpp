#include "core/report/page/data/page_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/text.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

/// Ceilings are measured too, so a result may exceed one slightly.
constexpr double kCeilingSpread = 1.05;
constexpr std::size_t kMostNames = 4, kMostTexts = 20;

bool is_simulated(const ResultRecord& record) {
  return !record.is_reference() && record.device_class() == DeviceClass::kHost;
}

/// A text without numbers.
std::string without_numbers(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit && c != '.') result += c;
    if (is_digit && !result.ends_with('#')) result += '#';
  }
  return result;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

/// "mse raw, mse jit and 3 more".
std::string names_text(const std::vector<std::string>& names) {
  const std::vector<std::string> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
  return join(shown, ", ") +
         (names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "");
}

std::string results_text(std::size_t count) {
  return fmt::format("{} result{}", count, count == 1 ? "" : "s");
}

}  // namespace

void PageWarnings::Texts::add(std::string_view text, const ResultRecord& record) {
  const auto [place, is_new] = places_.try_emplace(without_numbers(text), all_.size());
  if (is_new) all_.push_back({std::string(text), {}, 0});
  Said& said = all_[place->second];
  ++said.results;
  add_once(said.names, record.workload + " " + record.variant);
}

void PageWarnings::add(const ResultFile& file) {
  for (const std::string& line : split(trim(noise_text(file.calibration)), '\n'))
    if (!line.empty()) add_once(noise_, line);
  for (const ResultRecord& record : file.results) {
    if (record.ranked_time() > 0 && !record.is_reference()) {
      ++timed_;
      if (is_simulated(record)) {
        ++simulated_;
        add_once(simulated_devices_, record.device);
      }
    }
    if (record.status == Status::kSuspect) suspects_.add(record.reason, record);
    if (record.status == Status::kOk && record.share_of_ceiling() > kCeilingSpread) {
      highest_share_ = std::max(highest_share_, record.share_of_ceiling());
      beyond_.add("", record);
    }
    for (const Note& note : record.notes) notes_.add(to_text(note), record);
  }
}

PageJson PageWarnings::list() const {
  PageJson rows = PageJson::array();
  const auto row = [&](const char* kind, const std::string& text) {
    rows.push_back(PageJson::array({kind, text}));
  };
  if (simulated_ > 0)
    row("simulation",
        fmt::format("{} of the host simulation, not of a GPU. They were measured on a CPU ({}) and "
                    "are not GPU performance.",
                    simulated_ == timed_ ? "Times are"
                                         : fmt::format("Times of {} are", results_text(simulated_)),
                    join(simulated_devices_, ", ")));
  for (const std::string& line : noise_) row("noise", line);
  for (const Said& said : suspects_.all())
    row("suspect", fmt::format("Suspect, and in no ranking: {} ({}): {}.",
                               results_text(said.results), names_text(said.names), said.text));
  for (const Said& said : beyond_.all())
    row("ceiling",
        fmt::format("Beyond the ceiling: {} move{} more bytes per second than calibration found "
                    "the memory to move, up to {:.0f} % of it ({}). Their arrays may stay in a "
                    "cache, or the calibration was disturbed.",
                    results_text(said.results), said.results == 1 ? "s" : "", 100 * highest_share_,
                    names_text(said.names)));
  std::size_t shown = 0;
  for (const Said& said : notes_.all()) {
    if (++shown > kMostTexts) break;
    row("note", fmt::format("Note on {} ({}): {}.", results_text(said.results),
                            names_text(said.names), said.text));
  }
  return rows;
}

}  // namespace kernelbatch
