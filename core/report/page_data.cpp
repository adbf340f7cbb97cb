#include "core/report/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/base/text.hpp"
#include "core/base/value.hpp"
#include "core/report/page_changes.hpp"
#include "core/report/page_checks.hpp"
#include "core/report/page_json.hpp"
#include "core/report/page_reasons.hpp"
#include "core/report/page_tuning.hpp"
#include "core/report/page_warnings.hpp"

namespace kernelbatch {
namespace {

/// Number of quantiles of a page in total, and the maximum and minimum per result.
constexpr std::size_t kQuantiles = 300'000, kMostQuantiles = 41, kFewestQuantiles = 9;
constexpr std::size_t kMostLaunches = 40'000, kMostFindings = 2'000;
constexpr std::size_t kLongestDetail = 2000, kLongestJob = 100'000;

std::string json_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? fmt::format("{}", *real) : "null";
  return to_text(value);
}

/// Evenly spaced quantiles of the ranked samples, in hundredths of a per cent from the median.
std::string quantiles(const ResultRecord& record, std::size_t count) {
  const Summary* const summary = &record.ranked_summary();
  std::vector<double> samples;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && std::isfinite(sample.time))
      samples.push_back(sample.time);
  if (samples.size() < 2 || !(summary->median > 0)) return "null";
  std::ranges::sort(samples);
  // Odd, to include the median.
  count = std::min(count, samples.size()) | 1;
  std::vector<std::string> values;
  for (std::size_t k = 0; k < count; ++k) {
    const double place =
        static_cast<double>(k * (samples.size() - 1)) / static_cast<double>(count - 1);
    const auto below = static_cast<std::size_t>(place);
    const double above = samples[std::min(below + 1, samples.size() - 1)];
    const double sample =
        samples[below] + (place - static_cast<double>(below)) * (above - samples[below]);
    values.push_back(fmt::format("{:.0f}", 1e4 * (sample / summary->median - 1)));
  }
  return list_of(values);
}

/// A number, or a text if no number applies.
std::string worst_error(const ResultRecord& record) {
  double worst = kMissing, absolute = 0;
  if (record.is_reference()) return "null";
  for (const OutputRecord& output : record.outputs) {
    if (output.mismatches >= 0 && std::isnan(output.max_abs_err)) return json_text("NaN");
    const double error = output.max_abs_err == 0 ? 0 : output.max_rel_err;
    absolute = std::max(absolute, output.max_abs_err);
    if (!std::isnan(error)) worst = std::isnan(worst) ? error : std::max(worst, error);
  }
  if (!std::isinf(worst)) return json_number(worst);
  // There is no error relative to zero.
  return json_text(std::isinf(absolute) ? "infinite" : fmt::format("abs {:.1e}", absolute));
}

/// Distinct names of files: the file names, with their differing folders if the names are equal.
std::vector<std::string> names_of_files(std::span<const ResultFile> files) {
  std::vector<std::string> names, whole;
  for (const ResultFile& file : files) names.push_back(file.path.filename().string());
  for (const ResultFile& file : files) {
    const auto of_name = std::ranges::count(names, file.path.filename().string());
    std::filesystem::path shared = file.path.parent_path();
    for (const ResultFile& other : files)
      while (!shared.empty() && shared != shared.root_path() &&
             other.path.lexically_relative(shared).string().starts_with(".."))
        shared = shared.parent_path();
    const std::filesystem::path rest =
        shared.empty() ? file.path : file.path.lexically_relative(shared);
    whole.push_back(of_name > 1 ? rest.string() : file.path.filename().string());
  }
  return whole;
}

constexpr std::string_view kCaseColumns = R"(["id","workload","params","file"])";
constexpr std::string_view kResultColumns =
    R"(["case","variant","device","status","median","low","high","samples","bandwidth","flop_rate",)"
    R"("intensity","share","speedup","speedup_low","speedup_high","error","one_set","launches","quantiles",)"
    R"("stop","phase","reason","detail","fault","notes"])";

class PageData {
 public:
  explicit PageData(std::size_t results) {
    per_result_ = std::clamp(kQuantiles / std::max<std::size_t>(results, 1), kFewestQuantiles,
                             kMostQuantiles);
    stops_.of("");
  }

  void add(const ResultFile& file, const std::string& shown_as) {
    files_.push_back(json_text(shown_as));
    for (const std::string& problem : file.problems) problems_.push_back(json_text(problem));
    warnings_.add(file);
    for (const JobRecord& job : file.jobs) add_job(job);
    for (const EnvironmentRecord& environment : file.environments) {
      std::vector<std::string> values;
      for (const auto& [name, value] : environment.values)
        values.push_back(json_text(name) + ":" + json_value(value));
      environments_.of("{" + join(values, ",") + "}");
    }
    for (const DeviceCalibration& c : file.calibration)
      calibration_.push_back(fmt::format(
          R"({{"device":{},"launch":{},"copy":{},"read":{},"noise":{},"cache":{},"float32":{},)"
          R"("float64":{},"float16":{},"tensor":{}}})",
          json_text(c.device), json_number(c.empty_launch), json_number(c.copy_bandwidth),
          json_number(c.read_bandwidth), json_number(c.noise_floor), json_number(c.cache_bandwidth),
          json_number(c.float32_rate), json_number(c.float64_rate), json_number(c.float16_rate),
          json_number(c.tensor_rate)));
    reasons_.add(file, results_.size());
    tuning_.add(file, results_.size());
    // A case that is in two files is two cases; both are shown.
    std::map<std::string, std::size_t> of_file;
    for (const ResultRecord& record : file.results) {
      const auto [found, is_new] = of_file.try_emplace(record.case_id, cases_.size());
      if (is_new) add_case(record);
      add_result(record, found->second);
    }
  }

  std::string text(const std::string& title, const std::string& date, const std::string& more) {
    std::vector<std::string> names;
    for (const std::string& name : param_names_) names.push_back(json_text(name));
    std::vector<std::string> cases;
    for (const Case& each : cases_) {
      std::vector<std::string> params(param_names_.size(), "null");
      for (const auto& [position, value] : each.params) params[position] = value;
      cases.push_back(fmt::format("[{},{},{},{}]", json_text(each.id), each.workload,
                                  list_of(params), each.file));
    }
    std::string text = fmt::format(
        R"({{"title":{},"date":{},"files":{},"problems":{},"warnings":{},"jobs":{},"job_texts":{},"environments":{},)"
        R"("calibration":{},"workloads":{},"variants":{},"devices":{},"statuses":{},"params":{},)"
        R"("kernels":{},"stops":{},"notes":{},"case_columns":{},"cases":{},"result_columns":{},"results":{},)"
        R"("launches":{},"launches_left_out":{},"findings":{},"findings_left_out":{},{},{},{},{}}})",
        json_text(title), json_text(date), list_of(files_), list_of(problems_), warnings_.list(),
        jobs_.list(), job_texts_.raw(), environments_.raw(), list_of(calibration_),
        workloads_.list(), variants_.list(), devices_.list(), statuses_.list(), list_of(names),
        kernels_.list(), stops_.list(), notes_.list(), kCaseColumns, list_of(cases), kResultColumns,
        list_of(results_), list_of(launches_), launches_left_out_, list_of(findings_),
        findings_left_out_, checks_.members(), reasons_.members(), tuning_.member(), more);
    return without_tags(text);
  }

 private:
  struct Case {
    std::string id;
    std::size_t workload;
    std::vector<std::pair<std::size_t, std::string>> params;
    std::size_t file;
  };
  /// Distinct objects.
  struct Objects {
    std::vector<std::string> all;
    void of(const std::string& object) {
      if (std::ranges::find(all, object) == all.end()) all.push_back(object);
    }
    std::string raw() const { return list_of(all); }
  };

  void add_job(const JobRecord& job) {
    jobs_.of(job.name);
    job_texts_.of(fmt::format(R"({{"name":{},"written":{},"resolved":{}}})", json_text(job.name),
                              json_text(job.spec_written.substr(0, kLongestJob)),
                              json_text(job.spec_resolved.substr(0, kLongestJob))));
  }

  void add_case(const ResultRecord& record) {
    Case added{record.case_id, workloads_.of(record.workload), {}, files_.size() - 1};
    for (const auto& [name, value] : record.params) {
      auto found = std::ranges::find(param_names_, name);
      if (found == param_names_.end()) found = param_names_.insert(param_names_.end(), name);
      added.params.emplace_back(static_cast<std::size_t>(found - param_names_.begin()),
                                json_value(value));
    }
    cases_.push_back(std::move(added));
  }

  void add_result(const ResultRecord& record, std::size_t of_case) {
    const Summary& time = record.ranked_summary();
    const bool is_right = record.status == Status::kOk;
    const double bytes = record.bytes_read + record.bytes_written;
    const auto index = [](std::size_t position) { return fmt::format("{}", position); };
    const auto text = [](const std::string& t) { return t.empty() ? "null" : json_text(t); };
    const auto if_right = [&](double value) { return is_right ? json_number(value) : "null"; };
    const std::size_t result = results_.size();
    results_.push_back(
        row_of({index(of_case),
                index(variants_.of(record.variant)),
                index(devices_.of(record.device)),
                index(statuses_.of(std::string(to_text(record.status)))),
                if_right(record.ranked_time()),
                if_right(time.ci95_low),
                if_right(time.ci95_high),
                is_right ? fmt::format("{}", time.samples) : "null",
                json_number(record.bandwidth()),
                json_number(record.flop_rate()),
                bytes > 0 ? json_number(record.flops / bytes) : "null",
                json_number(record.share_of_ceiling()),
                if_right(record.speedup),
                if_right(record.speedup_low),
                if_right(record.speedup_high),
                worst_error(record),
                is_right && record.verification() == Verification::kOneSet ? "true" : "null",
                record.kernel_launches >= 0 ? fmt::format("{}", record.kernel_launches) : "null",
                is_right ? quantiles(record, per_result_) : "null",
                is_right ? index(stops_.of(record.stop_reason)) : "null",
                text(std::string(name_of(record.phase))),
                text(record.reason),
                text(record.detail.substr(0, kLongestDetail)),
                text(record.fault),
                record.notes.empty() ? "null" : index(notes_.of(to_text(record.notes)))}));
    checks_.add(record, result);
    for (const LaunchRecord& launch : record.launches) add_launch(launch, result);
    for (const FindingRecord& finding : record.findings) add_finding(finding, result);
  }

  void add_finding(const FindingRecord& finding, std::size_t result) {
    if (findings_.size() >= kMostFindings) {
      ++findings_left_out_;
      return;
    }
    const std::string words = to_text(finding);
    findings_.push_back(
        row_of({fmt::format("{}", result), json_text(finding.tool), json_text(finding.check),
                finding.harmless ? "true" : "false", json_text(finding.kernel),
                json_text(finding.place), json_text(finding.text),
                json_text(words.substr(std::min(words.find('\n'), words.size() - 1) + 1))}));
  }

  void add_launch(const LaunchRecord& launch, std::size_t result) {
    if (launches_.size() >= kMostLaunches) {
      ++launches_left_out_;
      return;
    }
    const auto extent = [](const std::int64_t(&e)[3]) {
      return e[1] == 1 && e[2] == 1 ? fmt::format("\"{}\"", e[0])
                                    : fmt::format("\"{}×{}×{}\"", e[0], e[1], e[2]);
    };
    launches_.push_back(
        row_of({fmt::format("{}", result), fmt::format("{}", launch.order),
                fmt::format("{}", kernels_.of(launch.kernel)), extent(launch.grid),
                extent(launch.block), fmt::format("{}", launch.shared_dynamic),
                launch.registers >= 0 ? fmt::format("{}", launch.registers) : "null",
                json_number(launch.duration)}));
  }

  std::size_t per_result_;
  NameTable jobs_, workloads_, variants_, devices_, statuses_, kernels_, stops_, notes_;
  Objects environments_, job_texts_;
  std::vector<std::string> files_, problems_, calibration_, param_names_, results_, launches_,
      findings_;
  std::vector<Case> cases_;
  PageWarnings warnings_;
  PageChecks checks_;
  PageReasons reasons_;
  PageTuning tuning_;
  std::size_t launches_left_out_ = 0, findings_left_out_ = 0;
};

}  // namespace

std::string page_data(std::span<const ResultFile> files, const std::string& title,
                      const std::string& date, const ComparedResults* compared) {
  std::size_t results = 0;
  for (const ResultFile& file : files) results += file.results.size();
  PageData data(results);
  const std::vector<std::string> names = names_of_files(files);
  for (std::size_t k = 0; k < files.size(); ++k) data.add(files[k], names[k]);
  return data.text(title, date,
                   change_members(compared, names.empty() ? "" : names.front(),
                                  names.empty() ? "" : names.back()));
}

}  // namespace kernelbatch
