#include "core/app/browser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

fs::path browser() {
  constexpr const char* kNames[] = {"chromium", "chromium-browser", "google-chrome",
                                    "google-chrome-stable"};
  for (const char* name : kNames)
    if (auto path = find_program(name)) return *path;
  throw MissingToolError(
      "an SVG or PDF file of a report needs Chromium or Chrome: install one of them, or open the "
      "report in a browser and print it");
}

/// Output of the browser when it opens the page in `folder`.
std::string open_page(const ScratchFolder& folder, const std::string& html,
                      const std::string& query, const std::string& action) {
  const fs::path program = browser();
  const fs::path page = folder.write("report.html", html);
  std::vector<std::string> command{
      program.string(), "--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
      "--disable-background-networking",
      // Time of the page, which ends once nothing is left to do.
      "--virtual-time-budget=600000", "--user-data-dir=" + (folder.path() / "profile").string(),
      action, "file://" + page.string() + query};
  // Root has no user namespace to confine the page in; it is our own page, and loads nothing.
  if (::geteuid() == 0) command.insert(command.begin() + 1, "--no-sandbox");
  const ProcessResult result = run_process(command);
  if (!result.succeeded()) {
    require_own_failure(result, program, folder);
    throw RunError(fmt::format("{} ended with {}:\n{}", program.filename().string(),
                               result.exit_status, trim(result.output)));
  }
  return result.output;
}

/// The text of `<pre id="svg">`.
std::string handed_over(const std::string& document) {
  constexpr std::string_view kBegin = "<pre id=\"svg\">", kEnd = "</pre>";
  const std::size_t begin = document.find(kBegin);
  const std::size_t end = document.find(kEnd, begin);
  if (end == std::string::npos) throw RunError("the browser did not draw the report");
  std::string text = document.substr(begin + kBegin.size(), end - begin - kBegin.size());
  // The last one may begin others.
  for (const auto& [escape, character] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"},
                                          std::pair{"&nbsp;", "\u00a0"}, std::pair{"&amp;", "&"}})
    boost::replace_all(text, escape, character);
  return text;
}

}  // namespace

std::string svg_of(const std::string& html, const std::string& section) {
  const ScratchFolder folder;
  std::string text = handed_over(open_page(folder, html, "?svg=" + section, "--dump-dom"));
  if (text.starts_with("<svg")) return text + "\n";
  std::vector<std::string> charts = split(text, ' ');
  std::erase(charts, "");
  if (charts.empty()) throw SpecError("the report has no charts");
  throw SpecError(
      fmt::format("the report has no chart '{}'{}", section, suggestion(section, charts)));
}

std::string pdf_of(const std::string& html) {
  const ScratchFolder folder;
  const fs::path pdf = folder.path() / "report.pdf";
  open_page(folder, html, "", "--print-to-pdf=" + pdf.string());
  return read_file(pdf);
}

}  // namespace kernelbatch::app
