// A fleet as text and as JSON.
#include <fmt/format.h>

#include <cmath>

#include "core/base/text.hpp"
#include "core/report/fleet/fleet.hpp"
#include "core/report/judged_json.hpp"

namespace kernelbatch {
namespace {

std::string percent_text(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:+.1f} %", 100 * share);
}

/// The shortest unique name of a part: its workload, else all of it.
std::string head_of(const FleetKind& kind, std::size_t part) {
  const auto named = [&](const std::string& text) {
    const std::size_t at = text.find("part=");
    if (at != std::string::npos) return text.substr(at + 5, text.find(' ', at) - at - 5);
    return text.substr(0, text.find(' '));
  };
  const std::string name = named(kind.parts[part]);
  for (std::size_t k = 0; k < kind.parts.size(); ++k)
    if (k != part && named(kind.parts[k]) == name) return kind.parts[part];
  return name;
}

std::string table_of(const FleetKind& kind, const TextFormat& format) {
  std::vector<std::string> header{"rank", "device", "node", "mean"};
  std::vector<std::size_t> right{0, 3};
  for (std::size_t part = 0; part < kind.parts.size(); ++part) {
    right.push_back(header.size());
    header.push_back(head_of(kind, part));
  }
  TextTable table(header);
  for (std::size_t k = 0; k < kind.devices.size(); ++k) {
    const FleetDevice& device = kind.devices[k];
    std::vector<std::string> row{fmt::format("{}", k + 1), visible_line(device.id),
                                 visible_line(device.node), percent_text(device.score)};
    std::vector<TextStyle> styles(row.size(), TextStyle::kPlain);
    for (const FleetValue& value : device.values) {
      row.push_back(percent_text(value.distance));
      styles.push_back(!value.is_outlier    ? TextStyle::kPlain
                       : value.distance > 0 ? TextStyle::kBad
                                            : TextStyle::kWarning);
    }
    table.add(std::move(row), std::move(styles));
  }
  return table.to_text(right, format);
}

std::string sentences_of(const FleetKind& kind) {
  std::string text;
  for (const FleetDevice& device : kind.devices) {
    const std::string name = visible_line(fmt::format("{} on {}", device.id, device.node));
    for (std::size_t part = 0; part < kind.parts.size(); ++part) {
      const FleetValue& value = device.values[part];
      if (!value.is_outlier) continue;
      text += fmt::format(
          "{} is {:.1f} % {} than its kind in {} (99 %: {:+.1f} to {:+.1f} %; {:.1f} "
          "times the scatter of the others)\n",
          name, 100 * std::abs(value.distance), value.distance > 0 ? "slower" : "faster",
          head_of(kind, part), 100 * value.low, 100 * value.high, std::abs(value.z));
    }
    for (const std::string& failure : device.failures)
      text += fmt::format("{}: {}\n", name, visible_line(failure));
  }
  return text;
}

}  // namespace

std::string fleet_text(const Fleet& fleet, const TextFormat& format) {
  std::string text;
  for (const FleetKind& kind : fleet.kinds) {
    text += fmt::format("{}{}: {}, times over the mean of the others\n", text.empty() ? "" : "\n",
                        visible_line(kind.name), plural(kind.devices.size(), "device"));
    text += table_of(kind, format);
    text += sentences_of(kind);
    if (kind.devices.size() < kFewestDevices)
      text += fmt::format(
          "Fewer than {} devices: the normal spread of such devices is unknown, so none "
          "is called an outlier.\n",
          kFewestDevices);
  }
  return text;
}

std::string fleet_json(const Fleet& fleet) {
  JudgedJson kinds = JudgedJson::array();
  for (const FleetKind& kind : fleet.kinds) {
    JudgedJson devices = JudgedJson::array();
    for (const FleetDevice& device : kind.devices) {
      JudgedJson parts = JudgedJson::array();
      for (std::size_t part = 0; part < kind.parts.size(); ++part) {
        const FleetValue& value = device.values[part];
        parts.push_back({{"part", kind.parts[part]},
                         {"time", finite_or_null(value.time)},
                         {"distance", finite_or_null(value.distance)},
                         {"low", finite_or_null(value.low)},
                         {"high", finite_or_null(value.high)},
                         {"z", finite_or_null(value.z)},
                         {"outlier", value.is_outlier}});
      }
      devices.push_back({{"id", device.id},
                         {"node", device.node},
                         {"score", finite_or_null(device.score)},
                         {"parts", parts},
                         {"failures", device.failures}});
    }
    kinds.push_back({{"kind", kind.name}, {"devices", devices}});
  }
  return indented(kinds);
}

}  // namespace kernelbatch
