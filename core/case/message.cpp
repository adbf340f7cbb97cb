#include "core/case/message.hpp"

#include <fmt/format.h>

#include <tuple>

#include "core/base/archive.hpp"
#include "core/base/error.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {

template <>
inline constexpr auto kMembersOf<Overrides> = std::tuple{&Overrides::params, &Overrides::settings};
template <>
inline constexpr auto kMembersOf<InputDeclaration> =
    std::tuple{&InputDeclaration::name, &InputDeclaration::help, &InputDeclaration::extents,
               &InputDeclaration::dtype};
template <>
inline constexpr auto kMembersOf<ParameterDeclaration> =
    std::tuple{&ParameterDeclaration::name,          &ParameterDeclaration::type,
               &ParameterDeclaration::default_value, &ParameterDeclaration::help,
               &ParameterDeclaration::minimum,       &ParameterDeclaration::maximum,
               &ParameterDeclaration::choices,       &ParameterDeclaration::is_tuning};
template <>
inline constexpr auto kMembersOf<VariantDeclaration> =
    std::tuple{&VariantDeclaration::name, &VariantDeclaration::kind, &VariantDeclaration::help};
template <>
inline constexpr auto kMembersOf<WorkloadInfo> =
    std::tuple{&WorkloadInfo::name,       &WorkloadInfo::version, &WorkloadInfo::summary,
               &WorkloadInfo::parameters, &WorkloadInfo::inputs,  &WorkloadInfo::outputs,
               &WorkloadInfo::variants};
template <>
inline constexpr auto kMembersOf<ProgramLog::Build> =
    std::tuple{&ProgramLog::Build::name, &ProgramLog::Build::key, &ProgramLog::Build::is_from_cache,
               &ProgramLog::Build::seconds};
template <>
inline constexpr auto kMembersOf<CompileOutcome> =
    std::tuple{&CompileOutcome::builds, &CompileOutcome::is_skipped, &CompileOutcome::reason};
/// All but the backend, which is a constant of the process.
template <>
inline constexpr auto kMembersOf<DeviceProperties> =
    std::tuple{&DeviceProperties::is_gpu,
               &DeviceProperties::is_asynchronous,
               &DeviceProperties::shares_host_memory,
               &DeviceProperties::is_lost_by_crash,
               &DeviceProperties::has_cuda_libraries,
               &DeviceProperties::selector,
               &DeviceProperties::ordinal,
               &DeviceProperties::name,
               &DeviceProperties::uuid,
               &DeviceProperties::parent_uuid,
               &DeviceProperties::mig_profile,
               &DeviceProperties::parent_index,
               &DeviceProperties::gpu_instance,
               &DeviceProperties::compute_instance,
               &DeviceProperties::ecc,
               &DeviceProperties::pci,
               &DeviceProperties::target,
               &DeviceProperties::driver,
               &DeviceProperties::compute_units,
               &DeviceProperties::capability_major,
               &DeviceProperties::capability_minor,
               &DeviceProperties::memory,
               &DeviceProperties::shared_cache,
               &DeviceProperties::clock,
               &DeviceProperties::memory_clock,
               &DeviceProperties::warp_size,
               &DeviceProperties::max_threads_per_block,
               &DeviceProperties::max_threads_per_unit,
               &DeviceProperties::shared_per_block,
               &DeviceProperties::shared_per_block_optin,
               &DeviceProperties::shared_per_unit,
               &DeviceProperties::loop_block,
               &DeviceProperties::loop_lanes,
               &DeviceProperties::loop_blocks,
               &DeviceProperties::loop_grain,
               &DeviceProperties::vector_bytes,
               &DeviceProperties::streams_per_thread};
template <>
inline constexpr auto kMembersOf<DeviceCalibration> =
    std::tuple{&DeviceCalibration::device,          &DeviceCalibration::empty_launch,
               &DeviceCalibration::copy_bandwidth,  &DeviceCalibration::read_bandwidth,
               &DeviceCalibration::noise_floor,     &DeviceCalibration::launch_jitter,
               &DeviceCalibration::cache_bandwidth, &DeviceCalibration::float32_rate,
               &DeviceCalibration::float64_rate,    &DeviceCalibration::float16_rate,
               &DeviceCalibration::tensor_rate};

namespace {

/// A record's samples by column: a list of numbers is one block of bytes.
struct SampleColumns {
  std::vector<std::uint8_t> kind;
  std::vector<std::int64_t> repetition, wall_ns;  // the process is the supervisor's to know
  std::vector<double> time, sm_clock;
};

SampleColumns columns_of(const std::vector<Sample>& samples) {
  SampleColumns columns;
  for (const Sample& sample : samples) {
    columns.kind.push_back(static_cast<std::uint8_t>(sample.kind));
    columns.repetition.push_back(sample.repetition);
    columns.wall_ns.push_back(sample.wall_ns);
    columns.time.push_back(sample.time);
    columns.sm_clock.push_back(sample.sm_clock);
  }
  return columns;
}

std::vector<Sample> samples_of(const SampleColumns& columns) {
  const std::size_t count = columns.kind.size();
  for (const std::size_t size : {columns.repetition.size(), columns.wall_ns.size(),
                                 columns.time.size(), columns.sm_clock.size()})
    if (size != count) throw RunError("its columns of samples differ in length");
  std::vector<Sample> samples(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto kind = static_cast<SampleKind>(columns.kind[k]);
    if (name_of(kind).data() == nullptr)
      throw RunError("it has a sample of a kind that does not exist");
    samples[k] = {kind, columns.repetition[k], columns.time[k], columns.sm_clock[k],
                  columns.wall_ns[k]};
  }
  return samples;
}

}  // namespace

template <>
struct Archived<ResultRecord> {
  static void write(ArchiveWriter& to, const ResultRecord& record) {
    to.put(to_json(record, Samples::kOmit));
    const SampleColumns columns = columns_of(record.samples);
    to.put(columns.kind);
    to.put(columns.repetition);
    to.put(columns.wall_ns);
    to.put(columns.time);
    to.put(columns.sm_clock);
  }
  static void read(ArchiveReader& from, ResultRecord& record) {
    record = result_from_json(from.get<std::string>());
    SampleColumns columns;
    from.read(columns.kind);
    from.read(columns.repetition);
    from.read(columns.wall_ns);
    from.read(columns.time);
    from.read(columns.sm_clock);
    record.samples = samples_of(columns);
  }
};

namespace {

template <class Message>
std::string write(const Message& message) {
  ArchiveWriter archive;
  archive.put(message);
  return archive.take();
}

template <class Message>
Message read(std::string_view frame) {
  try {
    ArchiveReader archive(frame);
    auto message = archive.get<Message>();
    archive.require_end();
    return message;
  } catch (const std::exception& error) {
    throw RunError(
        fmt::format("a message between supervisor and worker cannot be read: {}", error.what()));
  }
}

}  // namespace

std::string to_frame(const Request& request) { return write(request); }
std::string to_frame(const Reply& reply) { return write(reply); }
Request request_from_frame(std::string_view frame) { return read<Request>(frame); }
Reply reply_from_frame(std::string_view frame) { return read<Reply>(frame); }

}  // namespace kernelbatch
