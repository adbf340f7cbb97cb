#include "core/app/try/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/slurm/allocation.hpp"
#include "core/app/terminal.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/compare.hpp"
#include "core/report/failures.hpp"
#include "core/report/host_times.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {
namespace {

std::string_view word_of(const ResultRecord& record) {
  switch (record.status) {
    case Status::kOk:
      return "RIGHT";
    case Status::kVerificationFailed:
      return "WRONG";
    case Status::kSuspect:
      return "SUSPECT";
    case Status::kUnsafe:
      return "UNSAFE";
    default:
      return "FAILED";
  }
}

ExitCode code_of(const std::vector<ResultRecord>& results) {
  ExitCode code = ExitCode::kOk;
  for (const ResultRecord& record : results) {
    const std::string_view word = word_of(record);
    if (word == "RIGHT") continue;
    if (word != "FAILED") return ExitCode::kVerificationFailed;
    code = ExitCode::kCaseFailed;
  }
  return code;
}

/// The output that is wrong, or the first one.
const OutputRecord* shown_output(const ResultRecord& record) {
  const auto wrong = std::ranges::find_if(
      record.outputs, [](const OutputRecord& output) { return output.mismatches > 0; });
  if (wrong != record.outputs.end()) return &*wrong;
  return record.outputs.empty() ? nullptr : &record.outputs.front();
}

/// Reads "[3, 7]: got 1.5, expected 2.5 (4 ulp)".
JudgedJson mismatch_json(const OutputRecord& output) {
  const std::string& text = output.first_mismatch;
  const auto part = [&](std::string_view before, std::string_view end) {
    std::size_t from = text.find(before);
    if (from == std::string::npos) return std::string();
    from += before.size();
    return text.substr(from, text.find(end, from) - from);
  };
  JudgedJson index = JudgedJson::array();
  for (const std::string& axis : split(part("[", "]"), ','))
    if (!trim(axis).empty()) index.push_back(std::stoll(std::string(trim(axis))));
  return {{"output", output.name},
          {"index", std::move(index)},
          {"got", part("got ", ", expected ")},
          {"expected", part("expected ", " (")}};
}

JudgedJson integer_or_null(std::int64_t value) {
  return value < 0 ? JudgedJson() : JudgedJson(value);
}

/// Counted by the checks of the host device; null if they did not run.
JudgedJson counts_json(const ResultRecord& record) {
  JudgedJson json;
  for (const CounterRecord& each : record.counters)
    if (each.source == EvidenceSource::kReplay) json[each.name] = each.value;
  return json;
}

/// "; 4 sectors per request"
std::string counts_text(const ResultRecord& record) {
  std::string text;
  for (const CounterRecord& each : record.counters) {
    if (each.source != EvidenceSource::kReplay) continue;
    std::string name = each.name;
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("; {:.3g} {}", each.value, name);
  }
  return text;
}

JudgedJson file_json(const ResultRecord& record, const TryAnswer& answer, const TryDevice& device) {
  const OutputRecord* const output = shown_output(record);
  const bool is_timed = answer.is_timed && record.status == Status::kOk;
  const auto time = [&](double seconds) {
    return is_timed ? finite_or_null(seconds) : JudgedJson();
  };
  JudgedJson json{{"name", record.variant},
                  {"verdict", word_of(record)},
                  {"status", std::string(to_text(record.status))},
                  {"phase", std::string(name_of(record.phase))},
                  {"reason", record.reason},
                  {"detail", record.detail},
                  {"mismatches", integer_or_null(output == nullptr ? -1 : output->mismatches)}};
  const bool is_wrong = output != nullptr && !output->first_mismatch.empty();
  json["first_mismatch"] = is_wrong ? mismatch_json(*output) : JudgedJson();
  json["error"] = output == nullptr ? JudgedJson()
                                    : JudgedJson{{"max_abs", finite_or_null(output->max_abs_err)},
                                                 {"max_rel", finite_or_null(output->max_rel_err)},
                                                 {"max_ulp", finite_or_null(output->max_ulp)}};
  json["tolerance"] = output == nullptr ? JudgedJson() : JudgedJson(output->tolerance);
  json["draws"] = integer_or_null(record.input_sets);
  json["checked_calls"] = integer_or_null(record.checked_calls);
  json["compile_s"] = finite_or_null(record.compile_time);
  json["simulated"] = !device.is_gpu;
  json["median"] = time(record.cold.median);
  json["low"] = time(record.cold.ci95_low);
  json["high"] = time(record.cold.ci95_high);
  json["counts"] = counts_json(record);
  json["device"] = {{"name", device.name}, {"kind", device.kind}, {"uuid", device.uuid}};
  return json;
}

/// Warns of the weakest check.
std::string note_of(const TryAnswer& answer) {
  std::string note = answer.judgement.note;
  const bool is_one_set = std::ranges::any_of(answer.results, [](const ResultRecord& record) {
    return record.status == Status::kOk && record.input_sets == 1;
  });
  if (is_one_set)
    note +=
        (note.empty() ? "" : "; ") + std::string("one set of inputs: a stored answer would pass");
  return note;
}

std::string line_of(const ResultRecord& record, bool is_timed) {
  if (record.status != Status::kOk) return failure_text(record, text_format());
  if (is_timed)
    return fmt::format("{}: right, {} ({} to {}){}\n", record.variant,
                       format_seconds(record.cold.median), format_seconds(record.cold.ci95_low),
                       format_seconds(record.cold.ci95_high), counts_text(record));
  return fmt::format("{}: right in {} on {} of inputs{}\n", record.variant,
                     plural(static_cast<std::uint64_t>(record.checked_calls), "call"),
                     plural(static_cast<std::uint64_t>(record.input_sets), "set"),
                     counts_text(record));
}

}  // namespace

TryDevice TryDevice::choose(const std::string& text) {
  const DeviceChoice choice = device_in(slurm_allocation(environment), text);
  const DeviceProperties properties = properties_of(choice);
  return {.selector = choice.selector,
          .name = properties.name,
          .kind = !choice.is_gpu                   ? "host"
                  : properties.mig_profile.empty() ? "gpu"
                                                   : "mig",
          .uuid = properties.uuid,
          .is_gpu = choice.is_gpu,
          .note = choice.note};
}

bool TryDevice::is_timed(bool has_host_times) const noexcept {
  return are_judged(is_gpu ? DeviceClass::kGpu : DeviceClass::kHost, has_host_times);
}

TryAnswer answer_of(const ResultFile& file, const TryJob& job, const TryOptions& options) {
  TryAnswer answer{.is_timed = options.is_timed};
  for (const std::string& variant : job.variants) {
    const auto found = std::ranges::find(file.results, variant, &ResultRecord::variant);
    if (found == file.results.end())
      throw RunError(fmt::format("there is no result of '{}'", variant));
    answer.results.push_back(*found);
  }
  if (!file.calibration.empty()) answer.noise = file.calibration.front().noise_floor;
  answer.verdict = word_of(answer.results.back());
  answer.exit_code = code_of(answer.results);
  if (answer.exit_code != ExitCode::kOk || !options.is_timed || answer.results.size() == 1)
    return answer;
  const ComparedResults compared = compare_results({&file, 1}, {&file, 1},
                                                   {.has_host_times = true,
                                                    .variant_a = job.variants.front(),
                                                    .variant_b = job.variants.back()});
  if (compared.pairs.empty()) return answer;
  answer.judgement = compared.pairs.front().judgement;
  answer.verdict = name_of(answer.judgement.verdict);
  return answer;
}

TryAnswer failed_answer(const std::exception& error) {
  const auto* const own = dynamic_cast<const Error*>(&error);
  return {.exit_code = own != nullptr ? own->exit_code() : ExitCode::kCaseFailed,
          .error = error.what()};
}

std::string to_text(const TryAnswer& answer) {
  std::string text;
  for (const ResultRecord& record : answer.results) text += line_of(record, answer.is_timed);
  text += answer.verdict;
  if (answer.judgement.verdict != Verdict::kAbsent)
    text += fmt::format(": {} takes {:.3f} of {}'s time ({:.3f} to {:.3f})",
                        answer.results.back().variant, answer.judgement.ratio,
                        answer.results.front().variant, answer.judgement.ratio_low,
                        answer.judgement.ratio_high);
  for (const std::string& more : {answer.error, note_of(answer)})
    if (!more.empty()) text += "; " + more;
  return text + "\n";
}

JudgedJson to_json(const TryAnswer& answer, const TryDevice& device) {
  JudgedJson json{{"schema", 1},
                  {"verdict", answer.verdict},
                  {"exit_code", static_cast<int>(answer.exit_code)},
                  {"files", JudgedJson::array()}};
  for (const ResultRecord& record : answer.results)
    json["files"].push_back(file_json(record, answer, device));
  const bool is_judged = answer.judgement.verdict != Verdict::kAbsent;
  json["ratio"] = is_judged ? JudgedJson{{"median", answer.judgement.ratio},
                                         {"low", answer.judgement.ratio_low},
                                         {"high", answer.judgement.ratio_high}}
                            : JudgedJson();
  json["noise"] = finite_or_null(answer.noise);
  if (!answer.extents.empty()) json["sizes"] = answer.extents;
  if (const std::string note = note_of(answer); !note.empty()) json["note"] = note;
  if (!answer.error.empty()) json["error"] = answer.error;
  return json;
}

}  // namespace kernelbatch::app
