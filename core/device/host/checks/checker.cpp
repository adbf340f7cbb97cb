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

std::string element_text(std::string_view name, std::size_t offset, std::size_t item) {
  const std::size_t inside = offset % item;
  return inside == 0 ? fmt::format("{}[{}]", name, offset / item)
                     : fmt::format("{}[{}], byte {} of it", name, offset / item, inside);
}

}  // namespace

CheckKind kind_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::kOutside:
    case Fault::kIndex:
    case Fault::kMisaligned:
    case Fault::kInput:
      return CheckKind::kMemory;
    case Fault::kRace:
    case Fault::kSameValue:
    case Fault::kCopyInFlight:
    case Fault::kProductInFlight:
      return CheckKind::kRace;
    case Fault::kNoValue:
      return CheckKind::kInit;
    default:
      return CheckKind::kSync;
  }
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

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

std::string Checker::name_of(const Region& region, std::uintptr_t address, std::size_t bytes,
                             KernelFinding& finding) const {
  const std::size_t offset = address - region.begin();
  const std::size_t item = region.item != 0 ? region.item : bytes;
  finding.array = region.name;
  finding.element = static_cast<std::int64_t>(offset / item);
  if (region.name.empty()) return fmt::format("byte {} of an array", offset);
  return element_text(region.name, offset, item);
}

std::string Checker::place_near(std::uintptr_t address, std::size_t bytes,
                                KernelFinding& finding) const {
  constexpr std::uintptr_t kNear = 1 << 20;
  if (address < (1u << 16)) return fmt::format("the address {:#x}, near the null pointer", address);
  const Region* nearest = nullptr;
  std::uintptr_t least = kNear;
  for (const auto& [begin, region] : regions_) {
    if (region->kind == Region::Kind::kUnchecked) continue;
    const std::uintptr_t end = begin + region->bytes();
    const std::uintptr_t distance = address >= end    ? address - end
                                    : address < begin ? begin - address
                                                      : 0;
    if (distance >= least) continue;
    least = distance;
    nearest = region.get();
  }
  if (nearest == nullptr)
    return fmt::format("{} at {:#x}, far from every array", counted(bytes, "byte"), address);
  const std::size_t item = nearest->item != 0 ? nearest->item : bytes;
  const auto offset = static_cast<std::int64_t>(address - nearest->begin());
  const auto size = static_cast<std::int64_t>(item);
  finding.array = nearest->name;
  finding.element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  const std::string name = nearest->name.empty() ? "an array" : nearest->name;
  const std::string extent = counted(nearest->bytes() / item, "element");
  if (offset < 0) return fmt::format("{}[{}], before its {}", name, finding.element, extent);
  if (address < nearest->begin() + nearest->bytes())
    return fmt::format("{}[{}], of which a part is past the end of its {}", name, finding.element,
                       extent);
  return fmt::format("{}[{}], past the end of its {}", name, finding.element, extent);
}

void Checker::report(Fault fault, const Action& here, const void* other_place,
                     const std::function<void(KernelFinding&)>& write) {
  const CheckKind kind = kind_of(fault);
  const bool is_harmless = fault == Fault::kSameValue;
  if (!looks_for(kind)) return;
  constexpr std::size_t kMost = 1000;
  const std::uint64_t block = (std::uint64_t{here.thread.block.z} << 42) ^
                              (std::uint64_t{here.thread.block.y} << 21) ^ here.thread.block.x;
  const auto key = std::tuple(fault, here.place, other_place);
  auto known = known_.find(key);
  const bool is_new = known == known_.end();
  if (is_new) {
    if (found_.size() >= kMost) return;
    Found made{.fault = fault};
    KernelFinding& finding = made.finding;
    finding.kind = kind;
    finding.is_harmless = is_harmless;
    finding.kernel = kernel_;
    finding.thread = here.thread;
    finding.place = code_place(here.place);
    finding.other_place = code_place(other_place);
    finding.call = launches_;
    write(finding);
    // Compiler-made copies of a line count as one place, and a race has the same pair of threads in
    // either order.
    const auto same = std::ranges::find_if(found_, [&](const Found& each) {
      const KernelFinding& of = each.finding;
      const bool is_same_place = of.place == finding.place && of.other_place == finding.other_place;
      const bool is_same_pair = of.place == finding.other_place && of.other_place == finding.place;
      return each.fault == fault && of.kernel == kernel_ && of.place.line != 0 &&
             (is_same_place || is_same_pair) && of.array == finding.array;
    });
    if (same != found_.end()) {
      known = known_.emplace(key, static_cast<std::size_t>(same - found_.begin())).first;
    } else {
      known = known_.emplace(key, found_.size()).first;
      found_.push_back(std::move(made));
    }
  }
  Found& of = found_[known->second];
  const bool is_first = of.finding.count == 0;
  ++of.finding.count;
  if (of.last_block != block) ++of.finding.blocks;
  of.last_block = block;
  if (is_first && told_) told_(of.finding);
}

void Checker::count_launch() {
  const auto known = std::ranges::find(counts_, kernel_, &KernelCounts::kernel);
  counted_ = static_cast<std::size_t>(known - counts_.begin());
  if (known == counts_.end()) counts_.push_back({.kernel = kernel_});
}

std::vector<KernelFinding> Checker::take_findings() {
  // An unordered read before another thread's write would have a value in another order.
  std::erase_if(found_, [&](const Found& each) {
    const KernelFinding& read = each.finding;
    return read.kind == CheckKind::kInit && std::ranges::any_of(found_, [&](const Found& other) {
             const KernelFinding& race = other.finding;
             return race.kind == CheckKind::kRace && race.array == read.array &&
                    race.call == read.call &&
                    (race.place == read.place || race.other_place == read.place);
           });
  });
  std::vector<KernelFinding> result;
  for (Found& each : found_) result.push_back(std::move(each.finding));
  found_.clear();
  known_.clear();
  launches_ = 0;
  return result;
}

}  // namespace kernelbatch::host
