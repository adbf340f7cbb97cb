// kernelbatch cache: where compiled kernels are kept, and how many.
#include "core/kernel/cache.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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
  fmt::print("removed: {} entries, {}\n", removed.entries, format_bytes(removed.bytes));
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
    fmt::print("shared:  {} ({} entries, {})\n", shared->string(), site.entries,
               format_bytes(site.bytes));
  } else {
    fmt::print("shared:  none (KERNELBATCH_CACHE_SHARED)\n");
  }
  fmt::print("size:    {} of {}\n", format_bytes(usage.bytes), format_bytes(limit));
  fmt::print("entries: {}\n", usage.entries);
  return 0;
}

}  // namespace

void add_cache(CLI::App& app, Action& action) {
  auto options = std::make_shared<CacheOptions>();
  CLI::App* command = app.add_subcommand("cache", "Compiled kernels: where they are, how many");
  CLI::Option* clear =
      command->add_flag("--clear", options->clears, "Remove all of the user's own");
  command
      ->add_option("--max-size", options->max_size,
                   "Remove what was used longest ago until this much is left: 500MB, 1GiB")
      ->excludes(clear);
  add_examples(*command, {{"kernelbatch cache", ""}, {"kernelbatch cache --max-size 500MB", ""}});
  command->callback([options, &action] { action = [options] { return show_cache(*options); }; });
}

}  // namespace kernelbatch::app
