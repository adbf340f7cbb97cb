// The only user of dlopen.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace kernelbatch {

/// A loaded shared library. Loaded with RTLD_NOW | RTLD_LOCAL.
class SharedLibrary {
 public:
  enum class Lifetime {
    kWhileOwned,  ///< closed by the destructor
    kProcess,     ///< never unloaded: its code may outlive this object (plugins, drivers)
  };

  /// Opens by path or, for a plain name, through the system's search. Throws Error (exit code 2)
  /// with the loader's reason.
  SharedLibrary(const std::string& name, Lifetime lifetime);
  /// Empty if the library cannot be opened; `reason`, if given, gets the loader's text.
  static std::optional<SharedLibrary> try_open(const std::string& name, Lifetime lifetime,
                                               std::string* reason = nullptr);

  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  /// Address of a symbol, or null.
  void* find(const char* symbol) const noexcept;
  /// Memory of a variable, sized by its symbol; empty if this library itself (not a dependency) has
  /// no such variable.
  std::span<std::byte> find_variable(const char* symbol) const noexcept;
  /// True if this library itself (not a dependency) has the function or variable.
  bool defines(const char* symbol) const noexcept;
  /// Path of the library's file, if the loader provides it.
  std::filesystem::path path() const;

 private:
  SharedLibrary(void* handle, Lifetime lifetime) noexcept : handle_(handle), lifetime_(lifetime) {}

  void* handle_ = nullptr;
  Lifetime lifetime_;
};

/// The calling thread's copy of the thread-local variables of the library that contains `address`;
/// empty if it has none.
std::span<std::byte> thread_local_memory_of(const void* address);

/// Folders of the libraries that this process has loaded.
std::set<std::filesystem::path> folders_of_loaded_libraries();

}  // namespace kernelbatch
