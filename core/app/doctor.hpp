// All that a run may need, and what of it this machine has.
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

/// Build, GPU tools, cache, plugins, Slurm, HDF5, locale. Loads every plugin, each in a worker, and
/// creates no file. Never throws for what it finds.
std::vector<Section> examine();

std::string to_text(const std::vector<Section>& sections);
std::string to_json(const std::vector<Section>& sections);

}  // namespace kernelbatch::app
