// Times of runs as text, in UTC on every machine.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "core/base/error.hpp"
#include "core/report/history/history.hpp"

namespace kernelbatch {
namespace {

using Nanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

std::string calendar_day(Nanoseconds time) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

}  // namespace

std::string day_text(std::int64_t time_ns) {
  return time_ns < 0 ? "-" : calendar_day(Nanoseconds(std::chrono::nanoseconds(time_ns)));
}

std::string minute_text(std::int64_t time_ns) {
  if (time_ns < 0) return "-";
  const Nanoseconds time{std::chrono::nanoseconds(time_ns)};
  const std::chrono::hh_mm_ss clock(time - std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{} {:02}:{:02} UTC", calendar_day(time), clock.hours().count(),
                     clock.minutes().count());
}

std::int64_t parse_time(std::string_view text) {
  const std::string written(text);
  int year = 0, hour = 0, minute = 0, second = 0, day_end = 0, minute_end = 0, second_end = 0;
  unsigned month = 0, day = 0;
  std::sscanf(written.c_str(), "%4d-%2u-%2u%n%*1[T ]%2d:%2d%n:%2d%n", &year, &month, &day, &day_end,
              &hour, &minute, &minute_end, &second, &second_end);
  const int end = std::max({day_end, minute_end, second_end});
  const std::string rest = written.substr(static_cast<std::size_t>(end));
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (end == 0 || !(rest.empty() || rest == "Z") || !date.ok() || year < 1970 || year > 2200 ||
      hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    throw SpecError(fmt::format(
        "'{}' is not a time: expected a day, 2026-11-25, or 2026-11-25T21:43, in UTC", text));
  const auto time = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                    std::chrono::minutes(minute) + std::chrono::seconds(second);
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

}  // namespace kernelbatch
