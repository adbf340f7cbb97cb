// Findings of the checker: their kinds, the names of places, and each only once.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/device/host/checks/checker.hpp"

namespace kernelbatch::host {
namespace {

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
