#include "core/device/launch_log.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>

namespace kernelbatch {
namespace {

bool same_form(const Launch& a, const Launch& b) {
  const auto same = [](const Dim3& x, const Dim3& y) {
    return x.x == y.x && x.y == y.y && x.z == y.z;
  };
  // CUPTI reports the minimum allocation of a thread if the driver reports fewer registers.
  constexpr std::int64_t kLeastRegisters = 16;
  return same(a.grid, b.grid) && same(a.block, b.block) &&
         std::max(a.registers, kLeastRegisters) == std::max(b.registers, kLeastRegisters) &&
         a.shared_dynamic == b.shared_dynamic;
}

}  // namespace

std::string demangled(const char* symbol) {
  if (symbol == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

void correct_names(std::vector<Launch>& launches, const std::vector<Launch>& calls) {
  std::vector<bool> is_known(launches.size());
  // The first unclaimed launch with a call's shape: of its name, or of any name.
  const auto claim = [&](const Launch& call, bool by_name) -> Launch* {
    for (std::size_t k = 0; k < launches.size(); ++k)
      if (!is_known[k] && same_form(launches[k], call) &&
          (!by_name || launches[k].kernel == call.kernel)) {
        is_known[k] = true;
        return &launches[k];
      }
    return nullptr;
  };
  std::vector<const Launch*> unclaimed;
  for (const Launch& call : calls)
    if (claim(call, true) == nullptr) unclaimed.push_back(&call);
  for (const Launch* call : unclaimed)
    if (Launch* const launch = claim(*call, false)) launch->kernel = call->kernel;
}

bool place_in_interval(LaunchList& list, const LaunchShape& before, const LaunchShape& after) {
  const auto has_form = [](const LaunchShape& shape) {
    return [&shape](const Launch& launch) {
      const auto same = [](const Dim3& x, const Dim3& y) {
        return x.x == y.x && x.y == y.y && x.z == y.z;
      };
      return same(launch.grid, shape.grid) && same(launch.block, shape.block) &&
             launch.shared_dynamic == static_cast<std::int64_t>(shape.shared_bytes);
    };
  };
  const auto end_of = [](const auto& each) {
    return each.start + (each.duration > 0 ? each.duration : 0);
  };
  const auto of_all = [&](const auto& change) {
    std::ranges::for_each(list.launches, change);
    std::ranges::for_each(list.transfers, change);
  };
  std::vector<Launch>& all = list.launches;
  std::optional<Launch> begin, end;
  if (const auto last = std::find_if(all.rbegin(), all.rend(), has_form(after));
      last != all.rend()) {
    end = *last;
    all.erase(std::next(last).base());
  }
  if (const auto first = std::ranges::find_if(all, has_form(before)); first != all.end()) {
    begin = *first;
    all.erase(first);
  }
  if (!begin || !end || !(end->start >= begin->start)) {
    of_all([](auto& each) {
      each.start = std::numeric_limits<double>::quiet_NaN();
      each.is_inside.reset();
    });
    return false;
  }
  const double origin = end_of(*begin);
  list.first_stream = begin->stream;
  list.interval = end->start - origin;
  of_all([&](auto& each) {
    // Up to the outer ends of the markers: consecutive records may overlap a little.
    each.is_inside = each.start >= begin->start && end_of(each) <= end_of(*end);
    each.start -= origin;
  });
  return true;
}

}  // namespace kernelbatch
