#include "core/report/html.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <initializer_list>
#include <set>
#include <utility>

#include "core/base/text.hpp"
#include "core/report/page/data/page_data.hpp"
#include "core/report/page/data/page_json.hpp"
#include "page_embedded.hpp"

namespace kernelbatch {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

std::string title_of(std::span<const ResultFile> files) {
  std::set<std::string> names;
  for (const ResultFile& file : files)
    for (const JobRecord& job : file.jobs) names.insert(job.name);
  return names.empty() ? "Results of kernelbatch"
                       : join(std::vector<std::string>(names.begin(), names.end()));
}

/// Date of the newest result; today if none has a time.
std::string date_of(std::span<const ResultFile> files) {
  std::int64_t newest = -1;
  for (const ResultFile& file : files)
    for (const ResultRecord& record : file.results)
      newest = std::max({newest, record.start_ns, record.end_ns});
  const std::time_t time =
      newest >= 0 ? static_cast<std::time_t>(newest / 1'000'000'000)
                  : std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

std::string page_of(const std::string& title, const std::string& source, std::string data,
                    std::initializer_list<std::string_view> scripts) {
  std::string script;
  for (const std::string_view part : scripts) {
    script += part;
    script += '\n';
  }
  const std::array<std::pair<std::string_view, std::string>, 5> texts{
      {{"${title}", escaped(title)},
       {"${style}", std::string(page::style)},
       {"${source}", escaped(source.empty() ? "kernelbatch" : source)},
       {"${data}", std::move(data)},
       {"${script}", std::move(script)}}};
  // In page order, so that inserted text is never searched for the next placeholder.
  std::string html;
  std::string_view rest = page::html;
  for (const auto& [name, text] : texts) {
    const std::size_t at = rest.find(name);
    html.append(rest.substr(0, at));
    html += text;
    rest.remove_prefix(at + name.size());
  }
  html.append(rest);
  return html;
}

}  // namespace

std::string to_html(std::span<const ResultFile> files, const ReportOptions& options) {
  const std::string title = options.title.empty() ? title_of(files) : options.title;
  return page_of(
      title, options.source, page_data(files, title, date_of(files), options.compared),
      {page::tools, page::state, page::csv, page::print, page::table, page::chart, page::frame,
       page::rows, page::looks, page::sections, page::times, page::why, page::change, page::tries,
       page::tuning, page::roofline, page::plots, page::checks, page::rest});
}

std::string history_html(const History& history, const std::vector<AnalysedSeries>& analysed,
                         const std::string& title, const std::string& source) {
  // Number of points that a browser draws quickly.
  constexpr std::size_t kMostPoints = 100'000;
  std::vector<AnalysedSeries> shown;
  std::size_t points = 0;
  for (const AnalysedSeries& each : analysed) {
    points += each.timed.size() + each.failures.size();
    if (points > kMostPoints && !shown.empty()) break;
    shown.push_back(each);
  }
  // The history's own object has all other members.
  const std::string data =
      fmt::format(R"({{"title":{},"series_left_out":{},{})", page_text(title),
                  analysed.size() - shown.size(), history_json(history, shown).substr(1));
  return page_of(title, source, without_tags(data),
                 {page::tools, page::state, page::csv, page::print, page::table, page::chart,
                  page::frame, page::history});
}

}  // namespace kernelbatch
