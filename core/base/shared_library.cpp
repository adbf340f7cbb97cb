#include "core/base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <string_view>
#include <utility>

#include "core/base/error.hpp"

/// The loader's function for accesses to thread-local variables of a library.
extern "C" void* __tls_get_addr(std::size_t* module_and_offset);

namespace kernelbatch {

std::optional<SharedLibrary> SharedLibrary::try_open(const std::string& name, Lifetime lifetime,
                                                     std::string* reason) {
  const int keep = lifetime == Lifetime::kProcess ? RTLD_NODELETE : 0;
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | keep);
  if (handle == nullptr) {
    const char* text = ::dlerror();
    if (reason != nullptr) *reason = text != nullptr ? text : "unknown reason";
    return std::nullopt;
  }
  return SharedLibrary(handle, lifetime);
}

SharedLibrary::SharedLibrary(const std::string& name, Lifetime lifetime) : lifetime_(lifetime) {
  std::string reason;
  auto opened = try_open(name, lifetime, &reason);
  if (!opened) throw SpecError(fmt::format("cannot load '{}': {}", name, reason));
  handle_ = std::exchange(opened->handle_, nullptr);
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), lifetime_(other.lifetime_) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(lifetime_, other.lifetime_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr && lifetime_ == Lifetime::kWhileOwned) ::dlclose(handle_);
}

void* SharedLibrary::find(const char* symbol) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

std::span<std::byte> SharedLibrary::find_variable(const char* symbol) const noexcept {
  void* address = find(symbol);
  Dl_info where{};
  void* extra = nullptr;
  link_map* map = nullptr;
  if (address == nullptr || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 ||
      ::dladdr1(address, &where, &extra, RTLD_DL_SYMENT) == 0 || extra == nullptr)
    return {};
  const auto* entry = static_cast<const ElfW(Sym)*>(extra);
  const bool is_own =
      where.dli_saddr == address && std::string_view(where.dli_fname) == map->l_name;
  if (!is_own || ELF64_ST_TYPE(entry->st_info) != STT_OBJECT) return {};
  return {static_cast<std::byte*>(address), entry->st_size};
}

bool SharedLibrary::defines(const char* symbol) const noexcept {
  void* address = find(symbol);
  Dl_info where{};
  link_map* map = nullptr;
  return address != nullptr && ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 &&
         ::dladdr(address, &where) != 0 && std::string_view(where.dli_fname) == map->l_name;
}

std::filesystem::path SharedLibrary::path() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr)
    return {};
  return map->l_name;
}

std::span<std::byte> thread_local_memory_of(const void* address) {
  struct Search {
    ElfW(Addr) wanted;
    std::size_t module = 0, bytes = 0;
  } search{reinterpret_cast<ElfW(Addr)>(address)};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<Search*>(data);
        bool holds = false;
        std::size_t bytes = 0;
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const auto& segment = info->dlpi_phdr[k];
          const ElfW(Addr) begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && found.wanted >= begin &&
              found.wanted < begin + segment.p_memsz)
            holds = true;
          if (segment.p_type == PT_TLS) bytes = segment.p_memsz;
        }
        if (!holds) return 0;
        found.module = info->dlpi_tls_modid;
        found.bytes = bytes;
        return 1;
      },
      &search);
  if (search.module == 0 || search.bytes == 0) return {};
  // Allocates the memory if this thread has not used it yet.
  std::size_t first[2] = {search.module, 0};
  return {static_cast<std::byte*>(__tls_get_addr(first)), search.bytes};
}

std::set<std::filesystem::path> folders_of_loaded_libraries() {
  std::set<std::filesystem::path> folders;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::filesystem::path path = info->dlpi_name;
        if (path.is_absolute())
          static_cast<std::set<std::filesystem::path>*>(data)->insert(path.parent_path());
        return 0;
      },
      &folders);
  return folders;
}

}  // namespace kernelbatch
