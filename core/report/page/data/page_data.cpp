#include "core/report/page/data/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/base/value.hpp"
#include "core/report/page/data/page_changes.hpp"
#include "core/report/page/data/page_checks.hpp"
#include "core/report/page/data/page_json.hpp"
#include "core/report/page/data/page_reasons.hpp"
#include "core/report/page/data/page_tuning.hpp"
#include "core/report/page/data/page_warnings.hpp"
#include "core/report/shown_columns.hpp"

namespace kernelbatch {
namespace {

/// Number of quantiles of a page in total, and the maximum and minimum per result.
constexpr std::size_t kQuantiles = 300'000, kMostQuantiles = 41, kFewestQuantiles = 9;
constexpr std::size_t kMostLaunches = 40'000, kMostFindings = 2'000;
constexpr std::size_t kLongestText = 2000, kLongestJob = 100'000;

PageJson page_value(const Value& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real))
    return nullptr;
  return std::visit([](const auto& plain) { return PageJson(plain); }, value);
}

/// Evenly spaced quantiles of the ranked samples, in hundredths of a per cent from the median.
PageJson quantiles(const ResultRecord& record, std::size_t count) {
  const Summary* const summary = &record.ranked_summary();
  std::vector<double> samples;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && std::isfinite(sample.time))
      samples.push_back(sample.time);
  if (samples.size() < 2 || !(summary->median > 0)) return nullptr;
  std::ranges::sort(samples);
  // Odd, to include the median.
  count = std::min(count, samples.size()) | 1;
  PageJson values = PageJson::array();
  for (std::size_t k = 0; k < count; ++k) {
    const double place =
        static_cast<double>(k * (samples.size() - 1)) / static_cast<double>(count - 1);
    const auto below = static_cast<std::size_t>(place);
    const double above = samples[std::min(below + 1, samples.size() - 1)];
    const double sample =
        samples[below] + (place - static_cast<double>(below)) * (above - samples[below]);
    values.push_back(std::llrint(1e4 * (sample / summary->median - 1)));
  }
  return values;
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

std::string extent_text(const std::int64_t (&extent)[3]) {
  return extent[1] == 1 && extent[2] == 1
             ? fmt::format("{}", extent[0])
             : fmt::format("{}×{}×{}", extent[0], extent[1], extent[2]);
}

PageJson calibration_json(const DeviceCalibration& c) {
  return {{"device", c.device},
          {"launch", page_number(c.empty_launch)},
          {"copy", page_number(c.copy_bandwidth)},
          {"read", page_number(c.read_bandwidth)},
          {"noise", page_number(c.noise_floor)},
          {"cache", page_number(c.cache_bandwidth)},
          {"float32", page_number(c.float32_rate)},
          {"float64", page_number(c.float64_rate)},
          {"float16", page_number(c.float16_rate)},
          {"tensor", page_number(c.tensor_rate)}};
}

/// A list of distinct objects.
void add_once(PageJson& list, PageJson object) {
  if (std::ranges::find(list, object) == list.end()) list.push_back(std::move(object));
}

/// The shown columns that are members of the page's results. Texts are usually missing, so they
/// come last: rows end before trailing missing cells.
std::vector<ShownColumn> page_columns() {
  std::vector<ShownColumn> columns;
  for (const ShownColumn& column : shown_columns())
    if (!column.shown.member.empty()) columns.push_back(column);
  std::stable_partition(columns.begin(), columns.end(), [](const ShownColumn& column) {
    return is_number(column) || !column.shown.names.empty();
  });
  return columns;
}

class PageData {
 public:
  explicit PageData(std::size_t results) {
    per_result_ = std::clamp(kQuantiles / std::max<std::size_t>(results, 1), kFewestQuantiles,
                             kMostQuantiles);
    for (const ShownColumn& column : columns_)
      if (!column.shown.names.empty()) names_[column.shown.names];
    names_["stops"].of("");
  }

  void add(const ResultFile& file, const std::string& shown_as) {
    files_.push_back(shown_as);
    for (const std::string& problem : file.problems) problems_.push_back(problem);
    warnings_.add(file);
    for (const JobRecord& job : file.jobs) add_job(job);
    for (const EnvironmentRecord& environment : file.environments) {
      PageJson values = PageJson::object();
      for (const auto& [name, value] : environment.values) values[name] = page_value(value);
      add_once(environments_, std::move(values));
    }
    for (const DeviceCalibration& each : file.calibration)
      calibration_.push_back(calibration_json(each));
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

  PageJson json(const std::string& title, const std::string& date) const {
    PageJson page{{"title", title},
                  {"date", date},
                  {"files", files_},
                  {"problems", problems_},
                  {"warnings", warnings_.list()},
                  {"jobs", jobs_.list()},
                  {"job_texts", job_texts_},
                  {"environments", environments_},
                  {"calibration", calibration_},
                  {"workloads", workloads_.list()},
                  {"params", params_.list()},
                  {"kernels", kernels_.list()}};
    for (const auto& [name, table] : names_) page[std::string(name)] = table.list();
    page["case_columns"] = {"id", "workload", "params", "file"};
    page["cases"] = cases();
    add_columns(page);
    page["results"] = results_;
    page["launches"] = launches_;
    page["launches_left_out"] = launches_left_out_;
    page["findings"] = findings_;
    page["findings_left_out"] = findings_left_out_;
    checks_.write(page);
    reasons_.write(page);
    page["tuning"] = tuning_.searches();
    return page;
  }

 private:
  struct Case {
    std::string id;
    std::size_t workload;
    std::vector<std::pair<std::size_t, PageJson>> params;
    std::size_t file;
  };

  void add_job(const JobRecord& job) {
    jobs_.of(job.name);
    add_once(job_texts_, {{"name", job.name},
                          {"written", job.spec_written.substr(0, kLongestJob)},
                          {"resolved", job.spec_resolved.substr(0, kLongestJob)}});
  }

  void add_case(const ResultRecord& record) {
    Case added{record.case_id, workloads_.of(record.workload), {}, files_.size() - 1};
    for (const auto& [name, value] : record.params)
      added.params.emplace_back(params_.of(name), page_value(value));
    cases_.push_back(std::move(added));
  }

  PageJson cases() const {
    PageJson rows = PageJson::array();
    for (const Case& each : cases_) {
      PageJson::array_t params(params_.size());
      for (const auto& [position, value] : each.params) params[position] = value;
      rows.push_back({each.id, each.workload, std::move(params), each.file});
    }
    return rows;
  }

  /// Names of the members of a result, and those that the table of all results shows.
  void add_columns(PageJson& page) const {
    PageJson members = {"case", "quantiles"}, table = PageJson::array();
    for (const ShownColumn& column : columns_) {
      const schema::Shown& shown = column.shown;
      members.push_back(shown.member);
      if (!shown.heading.empty() && shown.in_text)
        table.push_back({{"member", shown.member},
                         {"heading", shown.heading},
                         {"units", column.info.units},
                         {"number", is_number(column)}});
    }
    page["result_columns"] = std::move(members);
    page["result_table"] = std::move(table);
  }

  PageJson cell(const ShownColumn& column, const ResultRecord& record) {
    const schema::Shown& shown = column.shown;
    if (!shown.names.empty() && (!shown.only_ok || record.status == Status::kOk))
      return names_[shown.names].of(to_text(column.get(record)));
    const std::optional<Value> value = shown_value(column, record);
    if (!value) return nullptr;
    if (const auto* real = std::get_if<double>(&*value)) return page_number(*real);
    if (const auto* text = std::get_if<std::string>(&*value)) return text->substr(0, kLongestText);
    if (const auto* flag = std::get_if<bool>(&*value)) return *flag ? PageJson(true) : PageJson();
    return std::get<std::int64_t>(*value);
  }

  void add_result(const ResultRecord& record, std::size_t of_case) {
    const std::size_t result = results_.size();
    PageJson::array_t cells{
        of_case, record.status == Status::kOk ? quantiles(record, per_result_) : PageJson()};
    for (const ShownColumn& column : columns_) cells.push_back(cell(column, record));
    results_.push_back(page_row(std::move(cells)));
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
    findings_.push_back({result, finding.tool, finding.check, finding.harmless, finding.kernel,
                         finding.place, finding.text,
                         words.substr(std::min(words.find('\n'), words.size() - 1) + 1)});
  }

  void add_launch(const LaunchRecord& launch, std::size_t result) {
    if (launches_.size() >= kMostLaunches) {
      ++launches_left_out_;
      return;
    }
    launches_.push_back(
        page_row({result, launch.order, kernels_.of(launch.kernel), extent_text(launch.grid),
                  extent_text(launch.block), launch.shared_dynamic, page_count(launch.registers),
                  page_number(launch.duration)}));
  }

  const std::vector<ShownColumn> columns_ = page_columns();
  std::size_t per_result_;
  NameTable jobs_, workloads_, kernels_, params_;
  std::map<std::string_view, NameTable> names_;
  PageJson files_ = PageJson::array(), problems_ = files_, environments_ = files_,
           job_texts_ = files_, calibration_ = files_, results_ = files_, launches_ = files_,
           findings_ = files_;
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
  PageJson page = data.json(title, date);
  page["change"] =
      page_change(compared, names.empty() ? "" : names.front(), names.empty() ? "" : names.back());
  return page_text(page);
}

}  // namespace kernelbatch
