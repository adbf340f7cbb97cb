// kernelbatch cache: where compiled kernels are kept, and how many.
#include "core/kernel/program/cache.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/app/command.hpp"
#include "core/base/cache_folder.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

struct CacheOptions {
  bool clears = false;
  std::string max_size;
};

void print_removed(const CacheUsage& removed) {
  fmt::print("removed: {}, {}\n", plural(removed.entries, "entry"), format_bytes(removed.bytes));
}

int show_cache(const CacheOptions& options) {
  const std::uint64_t limit = options.max_size.empty()
                                  ? cache_limit()
                                  : static_cast<std::uint64_t>(parse_bytes(options.max_size));
  const auto folder = cache_folder();
  if (folder && options.clears)
    print_removed(clear_cache(*folder));
  else if (folder && !options.max_size.empty())
    print_removed(trim_cache(*folder, limit));
  if (folder)
    fmt::print("path:    {}\n", folder->string());
  else
    fmt::print("path:    none, kernels are kept in memory only (set KERNELBATCH_CACHE_DIR)\n");
  const CacheUsage usage = folder ? cache_usage(*folder) : CacheUsage{};
  const auto shared = shared_cache_folder();
  if (shared) {
    const CacheUsage site = cache_usage(*shared);
    fmt::print("shared:  {} ({}, {})\n", shared->string(), plural(site.entries, "entry"),
               format_bytes(site.bytes));
  } else {
    fmt::print("shared:  none (KERNELBATCH_CACHE_SHARED)\n");
  }
  fmt::print("size:    {} of {}\n", format_bytes(usage.bytes), format_bytes(limit));
  fmt::print("entries: {}\n", usage.entries);
  return 0;
}

}  // namespace

Command cache_command() {
  auto options = std::make_shared<CacheOptions>();
  Command command{.name = "cache", .summary = "Show or clear the cache of compiled kernels"};
  command.add({{.names = {"--clear"},
                .help = "Remove all kernels of the user's cache",
                .target = &options->clears},
               {.names = {"--max-size"},
                .help = "Remove the least recently used kernels down to this size: 500MB, 1GiB",
                .target = &options->max_size,
                .excludes = "--clear"}});
  command.examples = {{"kernelbatch cache", ""}, {"kernelbatch cache --max-size 500MB", ""}};
  command.action = [options] { return show_cache(*options); };
  return command;
}

}  // namespace kernelbatch::app
