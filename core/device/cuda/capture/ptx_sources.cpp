#include "core/device/cuda/capture/ptx_sources.hpp"

#include <cstring>

namespace kernelbatch::capture {
namespace {

Ptx text_part(std::string_view text) {
  return {std::string(text), {.is_ptx = true, .bytes = text.size()}};
}

/// A null-terminated text at `code`, if it is PTX: that begins with a comment or a directive.
std::string_view text_at(const void* code) {
  const char* const text = static_cast<const char*>(code);
  const char* begin = text;
  while (*begin == ' ' || *begin == '\n' || *begin == '\r' || *begin == '\t') ++begin;
  return *begin == '.' || *begin == '/' ? std::string_view(text) : std::string_view();
}

}  // namespace

void PtxSources::add(const void* owner, const void* code) {
  if (code == nullptr) return;
  std::vector<Ptx> found;
  for (const fatbin::Part& part : fatbin::parts_of(fatbin::at_address(code)))
    if (part.is_ptx) found.push_back({std::string(part.stored), part});
  if (const std::string_view text = text_at(code); !text.empty()) found.push_back(text_part(text));
  const std::lock_guard lock(mutex_);
  // A handle may be that of a module that was unloaded.
  if (found.empty())
    by_owner_.erase(owner);
  else
    by_owner_[owner] = std::move(found);
}

void PtxSources::add_text(std::string_view text) {
  const std::lock_guard lock(mutex_);
  texts_.push_back(text_part(text.substr(0, text.find('\0'))));
}

std::vector<Ptx> PtxSources::find(const void* module, const void* library,
                                  const std::string& kernel, unsigned capability) const {
  const std::lock_guard lock(mutex_);
  std::vector<Ptx> found;
  const auto add_fitting = [&](const std::vector<Ptx>& parts) {
    for (const Ptx& each : parts)
      if (each.part.capability <= capability &&
          (each.part.compression != fatbin::Compression::kNone ||
           fatbin::has_entry(each.stored, kernel)))
        found.push_back(each);
  };
  for (const void* owner : {module, library})
    if (const auto known = by_owner_.find(owner); owner != nullptr && known != by_owner_.end())
      add_fitting(known->second);
  if (found.empty()) add_fitting(texts_);
  return found;
}

}  // namespace kernelbatch::capture
