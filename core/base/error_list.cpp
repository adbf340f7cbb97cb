#include "core/base/error_list.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace kernelbatch {
namespace {

/// Messages joined; Error adds the place of the first, the others include theirs.
std::string joined(const std::vector<SpecError>& all) {
  std::string text = all.front().message();
  for (std::size_t k = 1; k < all.size(); ++k) text += std::string("\n") + all[k].what();
  return text;
}

}  // namespace

SpecErrors::SpecErrors(std::vector<SpecError> all)
    : SpecError(joined(all), all.front().place()), all_(std::move(all)) {}
SpecErrors::~SpecErrors() = default;

void ErrorList::add(const SpecError& error) {
  const auto add_one = [&](const SpecError& one) {
    if (is_full()) return;
    const auto is_same = [&](const SpecError& other) {
      return std::string_view(other.what()) == one.what();
    };
    if (std::ranges::none_of(errors_, is_same)) errors_.push_back(one);
  };
  if (const auto* several = dynamic_cast<const SpecErrors*>(&error))
    std::ranges::for_each(several->all(), add_one);
  else
    add_one(error);
}

void ErrorList::raise() const {
  if (errors_.empty()) return;
  if (errors_.size() == 1) throw errors_.front();
  std::vector<SpecError> sorted = errors_;
  std::ranges::stable_sort(sorted, {}, [](const SpecError& error) {
    return std::tuple(error.place().file, error.place().line, error.place().column);
  });
  if (is_full()) sorted.emplace_back("more errors may follow: the first 100 are listed");
  throw SpecErrors(std::move(sorted));
}

}  // namespace kernelbatch
