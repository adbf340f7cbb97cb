// annotated_series_benchmark TCPD: accuracy of change points in series annotated by people, for
// find_change_points and plain E-divisive means. Only prints results. TCPD is a copy of the Turing
// Change Point Dataset (G. van den Burg, C. Williams, "An evaluation of change point detection
// algorithms", 2020; github.com/alan-turing-institute/TCPD), whose scores are used: a change is
// found if a change point is within 5 values of it, the first value of a series always counts as a
// change, precision is relative to the union of all annotations, recall is the mean over the
// annotators. Series of several values per time, or with gaps, are left out.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/report/history/change_points.hpp"
#include "tests/report/history/plain_e_divisive.hpp"

using namespace kernelbatch;

namespace {

namespace fs = std::filesystem;
using Changes = std::set<std::size_t>;

constexpr std::size_t kMargin = 5;

/// Number of annotated changes found, each change point once.
std::size_t found_of(const Changes& marked, Changes found) {
  std::size_t count = 0;
  for (const std::size_t change : marked) {
    const auto first = found.lower_bound(change > kMargin ? change - kMargin : 0);
    auto nearest = found.end();
    for (auto k = first; k != found.end() && *k <= change + kMargin; ++k) {
      const auto distance = [change](std::size_t at) {
        return std::max(at, change) - std::min(at, change);
      };
      if (nearest == found.end() || distance(*k) < distance(*nearest)) nearest = k;
    }
    if (nearest == found.end()) continue;
    found.erase(nearest);
    ++count;
  }
  return count;
}

double f1_of(const std::vector<Changes>& annotators, const Changes& found) {
  Changes any;
  double recall = 0;
  for (const Changes& marked : annotators) {
    any.insert(marked.begin(), marked.end());
    recall += static_cast<double>(found_of(marked, found)) / static_cast<double>(marked.size());
  }
  recall /= static_cast<double>(annotators.size());
  const double precision =
      static_cast<double>(found_of(any, found)) / static_cast<double>(found.size());
  return 2 * precision * recall / (precision + recall);
}

struct Series {
  std::string name;
  std::vector<double> values;
  std::vector<Changes> annotators;
};

/// Empty values for a series with several values per time, or a gap.
Series series_of(const fs::path& file, const YAML::Node& annotations) {
  const YAML::Node json = YAML::LoadFile(file);
  Series series{json["name"].as<std::string>(), {}, {}};
  for (const auto& annotator : annotations[series.name]) {
    Changes marked{0};
    for (const auto& change : annotator.second) marked.insert(change.as<std::size_t>());
    series.annotators.push_back(std::move(marked));
  }
  if (json["n_dim"].as<int>() != 1) return series;
  for (const auto& value : json["series"][0]["raw"]) {
    if (value.IsNull()) return {series.name, {}, {}};
    series.values.push_back(value.as<double>());
  }
  return series;
}

/// find_change_points works on the logarithms of times. A series that is not positive is taken to
/// be the logarithms, scaled to a range of 1.
std::vector<SeriesPoint> times_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  std::vector<SeriesPoint> points;
  for (const double value : values)
    points.push_back({.value = low > 0 ? value : std::exp((value - low) / (high - low))});
  return points;
}

Changes ours(const std::vector<double>& values) {
  Changes found{0};
  for (const ChangePoint& point : find_change_points(times_of(values))) found.insert(point.index);
  return found;
}

Changes plain(const std::vector<double>& values) {
  const std::vector<std::size_t> found = test::plain_e_divisive(values, {});
  Changes changes(found.begin(), found.end());
  changes.insert(0);
  return changes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: annotated_series_benchmark TCPD\n");
    return 2;
  }
  const fs::path folder = argv[1];
  const YAML::Node annotations = YAML::LoadFile(folder / "annotations.json");
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "datasets"))
    if (entry.path().extension() == ".json") files.insert(entry.path());
  fmt::print("series values F1_ours F1_plain found_ours found_plain\n");
  double sum_ours = 0, sum_plain = 0;
  std::size_t count = 0;
  for (const fs::path& file : files) {
    const Series series = series_of(file, annotations);
    if (series.values.empty() || series.annotators.empty()) continue;
    const Changes a = ours(series.values), b = plain(series.values);
    const double f1_a = f1_of(series.annotators, a), f1_b = f1_of(series.annotators, b);
    fmt::print("{} {} {:.3f} {:.3f} {} {}\n", series.name, series.values.size(), f1_a, f1_b,
               a.size() - 1, b.size() - 1);
    sum_ours += f1_a;
    sum_plain += f1_b;
    ++count;
  }
  if (count == 0) {
    fmt::print(stderr, "no series in {}\n", folder.string());
    return 1;
  }
  fmt::print("mean_of_{} - {:.3f} {:.3f}\n", count, sum_ours / static_cast<double>(count),
             sum_plain / static_cast<double>(count));
}
