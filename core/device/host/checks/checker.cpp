#include "core/device/host/checks/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/shared_library.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::host {
namespace {

/// The last entry that begins at or before `address`; end() if there is none.
template <class Map>
auto entry_at(Map& map, std::uintptr_t address) {
  auto after = map.upper_bound(address);
  return after == map.begin() ? map.end() : std::prev(after);
}

}  // namespace

void Checker::describe(const void* memory, std::size_t bytes, std::size_t item,
                       const std::string& name, ArrayUse use) {
  const std::uintptr_t begin = number_of(memory);
  const auto allocation = entry_at(allocations_, begin);
  if (allocation == allocations_.end() || begin - allocation->first >= allocation->second) return;
  if (const auto whole = regions_.find(allocation->first);
      whole != regions_.end() && whole->second->kind == Region::Kind::kAllocation)
    regions_.erase(whole);
  regions_.erase(begin);
  auto region = std::make_unique<Region>(memory, bytes, Region::Kind::kArray);
  region->name = name;
  region->item = item;
  region->is_read_only = use == ArrayUse::kInput;
  region->begins_without_values =
      (use == ArrayUse::kOutput || use == ArrayUse::kScratch) && looks_for(CheckKind::kInit);
  regions_[begin] = std::move(region);
  change_layout();
}

void Checker::add_allocation(const void* memory, std::size_t bytes) {
  allocations_[number_of(memory)] = bytes;
  regions_[number_of(memory)] = std::make_unique<Region>(memory, bytes, Region::Kind::kAllocation);
  change_layout();
}

void Checker::remove_allocation(const void* memory) noexcept {
  const auto found = allocations_.find(number_of(memory));
  if (found == allocations_.end()) return;
  const auto first = regions_.lower_bound(found->first);
  regions_.erase(first,
                 regions_.lower_bound(found->first + std::max<std::size_t>(found->second, 1)));
  allocations_.erase(found);
  change_layout();
}

void Checker::set_values(const void* memory, std::size_t bytes) {
  Region* const region = region_of(number_of(memory));
  if (region != nullptr) region->set_values(number_of(memory), bytes);
}

void Checker::add_library(const void* entry, CodePlaces places) {
  const std::uintptr_t base = number_of(entry) - places.first_entry();
  ++libraries_seen_;
  std::vector<const Region*> variables;
  for (const ImageVariable& variable : places.variables()) {
    if (variable.is_thread_local) continue;
    const bool is_own = variable.name.starts_with(kPointerMark);
    auto region = std::make_unique<Region>(
        reinterpret_cast<const void*>(base + variable.offset), variable.bytes,
        is_own || variable.is_constant ? Region::Kind::kUnchecked : Region::Kind::kGlobal);
    region->name = variable.name;
    variables.push_back(&add_region(std::move(region)));
  }
  const std::size_t bytes = places.bytes_loaded();
  libraries_.emplace(base, Library{{base, bytes}, std::move(places), std::move(variables)});
}

void Checker::remove_library(const void* entry) noexcept {
  const auto found = entry_at(libraries_, number_of(entry));
  if (found == libraries_.end()) return;
  for (const Region* variable : found->second.variables) remove_region(*variable);
  libraries_.erase(found);
}

void Checker::begin_launch(const std::string& kernel) {
  kernel_ = kernel;
  ++launches_;
  count_launch();
  std::fill(sites_.begin(), sites_.end(), Site{});
  places_.clear();
  known_.clear();
  forget_accesses();
  ignored_.clear();
  publications_.clear();
  grid_phases_ = 0;
}

void Checker::ignore(const void* memory, std::size_t bytes) {
  ignored_.push_back({number_of(memory), bytes});
}

Range Checker::ignored_at(std::uintptr_t address) const noexcept {
  for (const Range& range : ignored_)
    if (range.holds(address)) return range;
  return {};
}

void Checker::pass_grid_barrier(std::uint64_t phase) {
  if (phase + 1 <= grid_phases_) return;
  grid_phases_ = phase + 1;
  forget_accesses();
}

void Checker::forget_accesses() {
  for (const auto& [begin, region] : regions_) region->forget(false);
}

void Checker::grow_sites() {
  std::vector<Site> old(2 * sites_.size());
  old.swap(sites_);
  const std::size_t mask = sites_.size() - 1;
  for (const Site& site : old) {
    if (site.place == nullptr) continue;
    std::size_t at = (number_of(site.place) * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (sites_[at].place != nullptr) at = (at + 1) & mask;
    sites_[at] = site;
  }
}

void Checker::find_whose(Site& site) const {
  const CodePlace place = code_place(site.place);
  site.whose = place.line == 0 || is_file_of_ours(place.file) ? Site::Whose::kOurs
               : place.file == kGeneratedFile                 ? Site::Whose::kGenerated
                                                              : Site::Whose::kUsers;
}

const void* Checker::place_of(std::uint16_t site) const noexcept {
  return site == 0 || site > places_.size() ? nullptr : places_[site - 1u];
}

Region* Checker::region_of(std::uintptr_t address) const {
  const auto found = entry_at(regions_, address);
  return found != regions_.end() && found->second->holds(address) ? found->second.get() : nullptr;
}

Region& Checker::add_region(std::unique_ptr<Region> region) {
  change_layout();
  Region& added = *region;
  regions_[added.begin()] = std::move(region);
  return added;
}

void Checker::remove_region(const Region& region) noexcept {
  change_layout();
  regions_.erase(region.begin());
}

const Publication* Checker::find_publication(std::uintptr_t address) const {
  const auto found = publications_.find(address);
  return found == publications_.end() ? nullptr : &found->second;
}

std::vector<std::pair<ImageVariable, std::uintptr_t>> Checker::thread_locals_of(
    const void* code) const {
  std::vector<std::pair<ImageVariable, std::uintptr_t>> result;
  const auto found = entry_at(libraries_, number_of(code));
  if (found == libraries_.end()) return result;
  const std::span<std::byte> memory = thread_local_memory_of(code);
  for (const ImageVariable& variable : found->second.places.variables())
    if (variable.is_thread_local && variable.offset + variable.bytes <= memory.size())
      result.emplace_back(variable, number_of(memory.data()) + variable.offset);
  return result;
}

CodePlace Checker::code_place(const void* place) const {
  const auto found = entry_at(libraries_, number_of(place));
  if (place == nullptr || found == libraries_.end() || !found->second.range.holds(number_of(place)))
    return {};
  // A return address is behind its call.
  return found->second.places.place_of(number_of(place) - found->first - 1);
}

}  // namespace kernelbatch::host
