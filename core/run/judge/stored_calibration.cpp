#include "core/run/judge/stored_calibration.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

constexpr auto kLongest = std::chrono::hours(1);

std::optional<fs::path> calibration_file(const std::string& device) {
  const auto folder = cache_folder();
  if (!folder || device.empty()) return std::nullopt;
  return *folder / "calibrations" / (hash_hex(device + '\n' + version_text()) + ".json");
}

}  // namespace

std::vector<DeviceCalibration> stored_calibration(const std::string& device) {
  const auto file = calibration_file(device);
  std::error_code error;
  if (!file || !reason_no_trust(*file, Owner::kUser).empty()) return {};
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(*file, error);
  if (error || age < age.zero() || age > kLongest) return {};
  try {
    return case_from_json(read_file(*file)).calibration;
  } catch (const Error&) {
    return {};
  }
}

void store_calibration(const std::string& device,
                       const std::vector<DeviceCalibration>& calibration) {
  const auto file = calibration_file(device);
  if (!file) return;
  CaseRecord record;
  record.calibration = calibration;
  make_own_folder(file->parent_path());
  try {
    write_file_atomically(*file, to_json(record), Writers::kOwner);
  } catch (const Error&) {
  }
}

}  // namespace kernelbatch
