// Requirements of a run, and whether this machine meets them.
#pragma once

#include <string>
#include <vector>

#include "core/device/tools.hpp"

namespace kernelbatch::app {

/// Findings of one kind.
struct Section {
  std::string name;
  std::vector<Finding> findings;
};

/// Checks build, GPU tools, cache, plugins, Slurm, HDF5, locale. Loads every plugin, each in a
/// worker, and creates no file. Does not throw for problems found.
std::vector<Section> examine();

std::string to_text(const std::vector<Section>& sections);
std::string to_json(const std::vector<Section>& sections);

}  // namespace kernelbatch::app
