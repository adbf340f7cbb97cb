#include "core/report/html.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <set>

#include "core/base/text.hpp"
#include "core/report/page_data.hpp"
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

/// Of the newest result; today where none has a time.
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

}  // namespace

std::string to_html(std::span<const ResultFile> files, const ReportOptions& options) {
  const std::string title = options.title.empty() ? title_of(files) : options.title;
  std::string script;
  for (const std::string_view part :
       {page::tools, page::table, page::chart, page::sections, page::why, page::change,
        page::roofline, page::plots, page::rest}) {
    script += part;
    script += '\n';
  }
  const std::array<std::pair<std::string_view, std::string>, 5> texts{
      {{"${title}", escaped(title)},
       {"${style}", std::string(page::style)},
       {"${source}", escaped(options.source.empty() ? "kernelbatch" : options.source)},
       {"${data}", page_data(files, title, date_of(files), options.compared)},
       {"${script}", std::move(script)}}};
  // In the order of the page, so that no text is searched for the next one's name.
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

}  // namespace kernelbatch
