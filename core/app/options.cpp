#include "core/app/options.hpp"

#include <iterator>

namespace kernelbatch::app {

bool Option::is_repeated() const noexcept {
  return std::holds_alternative<std::vector<std::string>*>(target) && max_values != 1;
}

std::string Option::value_type() const {
  if (!type.empty()) return type;
  if (std::holds_alternative<int*>(target)) return "INT";
  if (std::holds_alternative<std::size_t*>(target)) return "UINT";
  if (std::holds_alternative<double*>(target)) return "FLOAT";
  const bool is_text = std::holds_alternative<std::string*>(target) ||
                       std::holds_alternative<std::vector<std::string>*>(target) ||
                       std::holds_alternative<std::function<void(const std::string&)>>(target);
  return is_text ? "TEXT" : "";
}

Option host_times_option(bool& target) {
  return {.names = {"--host-times"},
          .help = "Judge times of the host device, too: simulated times",
          .target = &target};
}

void Command::add(std::vector<Option> more) {
  options.insert(options.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

}  // namespace kernelbatch::app
