// Pictures and PDF files of a report, drawn by an installed Chromium or Chrome.
#pragma once

#include <filesystem>
#include <string>

namespace kernelbatch::app {

/// The first chart in a section of a report ("times") as an SVG file's text. Throws SpecError if
/// the page has no such chart, MissingToolError without a browser, RunError if it fails.
std::string svg_of(const std::string& html, const std::string& section);

/// The report as it is printed, as a PDF file's bytes. Throws like svg_of().
std::string pdf_of(const std::string& html);

}  // namespace kernelbatch::app
