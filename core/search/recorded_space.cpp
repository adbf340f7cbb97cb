#include "core/search/recorded_space.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

// Values keep their order in the file.
using Json = nlohmann::ordered_json;

constexpr double kMissingTime = std::numeric_limits<double>::quiet_NaN();
/// Limit of combinations in memory.
constexpr std::uint64_t kMostCombinations = 100'000'000;

/// Maximum size of an unpacked file: a small compressed one may unpack to any size.
constexpr std::size_t kMostText = std::size_t{256} << 20;

/// Plain or compressed.
std::string read_text(const std::string& name) {
  require_regular_file(name);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(name.c_str(), "rb"), gzclose);
  if (!file) throw SpecError(fmt::format("{}: cannot be opened", name));
  std::string text;
  std::vector<char> part(1 << 20);
  int got = 0;
  while ((got = gzread(file.get(), part.data(), static_cast<unsigned>(part.size()))) > 0) {
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostText)
      throw SpecError(fmt::format("{}: unpacks to more than {}", name, format_bytes(kMostText)));
  }
  if (got < 0) throw SpecError(fmt::format("{}: cannot be read, or is cut off", name));
  return text;
}

Json parse(const std::string& name) {
  std::string text = read_text(name);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error&) {
  }
  // Kernel Tuner completes a cache file only when a search has ended.
  while (!text.empty() &&
         (text.back() == ',' || std::isspace(static_cast<unsigned char>(text.back()))))
    text.pop_back();
  try {
    return Json::parse(text + "}}");
  } catch (const Json::parse_error& error) {
    throw SpecError(fmt::format("{}: is not JSON: {}", name, error.what()));
  }
}

double number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

struct Entry {
  std::vector<std::string> values;
  RecordedTry tried;
};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Reads an entry; its times are in ms.
Entry entry_of_cache(const Json& row, const std::vector<std::string>& parameters) {
  constexpr double kMilli = 1e-3;
  Entry entry;
  for (const std::string& parameter : parameters)
    entry.values.push_back(text_of(row.at(parameter)));
  const Json& time = row.at("time");
  entry.tried.time =
      time.is_number() && time.get<double>() > 0 ? time.get<double>() * kMilli : kMissingTime;
  for (const char* part : {"compile_time", "verification_time", "benchmark_time", "framework_time"})
    entry.tried.cost += number(row, part) * kMilli;
  return entry;
}

double of_measurements(const Json& row) {
  if (row.value("invalidity", "correct") != "correct") return kMissingTime;
  for (const Json& measurement : row.value("measurements", Json::array()))
    if (measurement.value("name", "") == "time") {
      const double value = number(measurement, "value");
      const std::string unit = measurement.value("unit", "ms");
      const double scale = unit == "s" ? 1 : unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1e-3;
      return value > 0 ? value * scale : kMissingTime;
    }
  return kMissingTime;
}

Entry entry_of_t4(const Json& row, const std::vector<std::string>& parameters) {
  constexpr double kMilli = 1e-3;
  Entry entry;
  const Json& configuration = row.at("configuration");
  for (const std::string& parameter : parameters)
    entry.values.push_back(text_of(configuration.at(parameter)));
  entry.tried.time = of_measurements(row);
  if (const auto times = row.find("times"); times != row.end()) {
    for (const char* part : {"compilation_time", "framework", "validation"})
      entry.tried.cost += number(*times, part) * kMilli;
    for (const Json& run : times->value("runtimes", Json::array()))
      if (run.is_number()) entry.tried.cost += run.get<double>() * kMilli;
  }
  return entry;
}

/// Sorts values numerically if all are numbers, else keeps their order.
void put_in_order(std::vector<std::string>& values) {
  const auto as_number = [](const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && !text.empty() ? value : kMissingTime;
  };
  if (std::ranges::all_of(values,
                          [&](const std::string& each) { return !std::isnan(as_number(each)); }))
    std::ranges::stable_sort(values, {}, as_number);
}

/// The entries of a cache of Kernel Tuner or of T4 results, and the name of the space.
std::vector<Entry> read_entries(const std::string& file, std::string& name,
                                std::vector<std::string>& parameters) {
  const Json json = parse(file);
  std::vector<Entry> entries;
  try {
    if (const auto cache = json.find("cache"); cache != json.end()) {
      for (const Json& each : json.at("tune_params_keys")) parameters.push_back(each);
      for (const auto& [key, row] : cache->items())
        entries.push_back(entry_of_cache(row, parameters));
      name = fmt::format("{} {}", json.value("kernel_name", ""), json.value("device_name", ""));
    } else if (const auto results = json.find("results"); results != json.end()) {
      for (const Json& row : *results) {
        if (parameters.empty())
          for (const auto& [each, value] : row.at("configuration").items())
            parameters.push_back(each);
        entries.push_back(entry_of_t4(row, parameters));
      }
      name = file;
    } else {
      throw SpecError(fmt::format(
          "{}: is neither a cache of Kernel Tuner (no 'cache') nor T4 results (no 'results')",
          file));
    }
  } catch (const Json::exception& error) {
    throw SpecError(fmt::format("{}: {}", file, error.what()));
  }
  return entries;
}

/// The distinct values of each parameter, in order.
using Values = std::vector<std::vector<std::string>>;
Values values_of(const std::vector<Entry>& entries, std::size_t parameters) {
  Values values(parameters);
  for (const Entry& entry : entries)
    for (std::size_t k = 0; k < parameters; ++k)
      if (std::ranges::find(values[k], entry.values[k]) == values[k].end())
        values[k].push_back(entry.values[k]);
  for (auto& each : values) put_in_order(each);
  return values;
}

Configuration configuration_of(const Entry& entry, const Values& values) {
  Configuration configuration;
  for (std::size_t k = 0; k < values.size(); ++k)
    configuration.push_back(static_cast<std::uint32_t>(
        std::ranges::find(values[k], entry.values[k]) - values[k].begin()));
  return configuration;
}

void check_scorable(const std::string& file, const std::vector<RecordedTry>& tries) {
  double least = INFINITY, most = 0, cost = 0;
  for (const RecordedTry& each : tries) {
    cost += each.cost;
    if (std::isnan(each.time)) continue;
    least = std::min(least, each.time);
    most = std::max(most, each.time);
  }
  if (most == 0) throw SpecError(fmt::format("{}: all configurations failed", file));
  if (least == most)
    throw SpecError(fmt::format("{}: all times are equal: there is nothing to search", file));
  if (!(cost > 0)) throw SpecError(fmt::format("{}: has no times of compiling and running", file));
}

}  // namespace

RecordedSpace RecordedSpace::read(const std::string& file) {
  RecordedSpace space;
  const std::vector<Entry> entries = read_entries(file, space.name_, space.parameters_);
  if (entries.empty() || space.parameters_.empty())
    throw SpecError(fmt::format("{}: has no configuration", file));
  const Values values = values_of(entries, space.parameters_.size());
  std::uint64_t combinations = 1;
  for (const auto& each : values) {
    space.lengths_.push_back(static_cast<std::uint32_t>(each.size()));
    combinations *= each.size();
    if (combinations > kMostCombinations)
      throw SpecError(
          fmt::format("{}: more than {} combinations of values", file, kMostCombinations));
  }
  space.places_.resize(combinations, 0);
  const SearchSpace all(space.lengths_);
  for (const Entry& entry : entries) {
    std::uint32_t& place = space.places_[all.number_of(configuration_of(entry, values))];
    if (place != 0) continue;  // the first one counts
    space.tries_.push_back(entry.tried);
    place = static_cast<std::uint32_t>(space.tries_.size());
  }
  check_scorable(file, space.tries_);
  return space;
}

SearchSpace RecordedSpace::space() const {
  return SearchSpace(
      lengths_, [this, all = SearchSpace(lengths_)](std::span<const std::uint32_t> configuration) {
        return places_[all.number_of(configuration)] != 0;
      });
}

const RecordedTry& RecordedSpace::at(const Configuration& configuration) const {
  const std::uint32_t place = places_.at(SearchSpace(lengths_).number_of(configuration));
  if (place == 0) throw std::out_of_range("a configuration that was not recorded");
  return tries_[place - 1];
}

}  // namespace kernelbatch
