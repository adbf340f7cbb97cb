#include "core/result/schema.hpp"

#include <array>

#include "core/result/cell.hpp"

namespace kernelbatch::schema {
namespace {

using O = OutputRecord;

constexpr std::array kPlaceColumns{
    column<&Place::sample_start>("sample_start", "1", "first row in /samples"),
    column<&Place::sample_count>("sample_count", "1", "rows in /samples"),
    column<&Place::launch_start>("launch_start", "1", "first row in /launches"),
    column<&Place::launch_count>("launch_count", "1", "rows in /launches"),
    column<&Place::kernel_start>("kernel_start", "1", "first row in /kernels"),
    column<&Place::kernel_count>("kernel_count", "1", "rows in /kernels"),
    column<&Place::check_start>("check_start", "1", "first row in /checks"),
    column<&Place::check_count>("check_count", "1", "rows in /checks"),
    column<&Place::finding_start>("finding_start", "1", "first row in /findings"),
    column<&Place::finding_count>("finding_count", "1", "rows in /findings"),
    column<&Place::counter_start>("counter_start", "1", "first row in /counters"),
    column<&Place::counter_count>("counter_count", "1", "rows in /counters"),
    column<&Place::environment>("environment", "1", "row in /environments; -1 if unknown"),
    column<&Place::job>("job", "1", "row in /jobs; -1 if unknown"),
};

constexpr std::array kParentColumns{column<&Parent::row>("case", "1", "row in /cases")};

constexpr std::array kSampleColumns{
    coded<&Sample::kind>("kind", "cold hot host", "timed work and cache state"),
    column<&Sample::repetition>("repetition", "1", "number of the sample within its kind"),
    column<&Sample::time>("time", "s", "duration of one run"),
    column<&Sample::sm_clock>("sm_clock", "Hz", "clock of the multiprocessors"),
    column<&Sample::wall_ns>("wall", kTimeUnits, "time of the sample; -1 if unknown"),
    column<&Sample::process>("process", "1", "process that took the sample, from 0"),
};

using L = LaunchRecord;
constexpr std::array kLaunchColumns{
    column<&L::kernel>("kernel", "", "name of the kernel"),
    column<&L::order>("order", "1", "position within the recorded run"),
    column<&L::grid, 0>("grid_x", "1", "blocks along x"),
    column<&L::grid, 1>("grid_y", "1", "blocks along y"),
    column<&L::grid, 2>("grid_z", "1", "blocks along z"),
    column<&L::block, 0>("block_x", "1", "threads of a block along x"),
    column<&L::block, 1>("block_y", "1", "threads of a block along y"),
    column<&L::block, 2>("block_z", "1", "threads of a block along z"),
    column<&L::shared_dynamic>("shared_dynamic", "byte", "dynamic shared memory per block"),
    column<&L::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&L::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&L::duration>("duration", "s", "time on the device"),
    column<&L::stream>("stream", "1", "stream it was launched on"),
};

using K = KernelRecord;
constexpr std::array kKernelColumns{
    column<&K::name>("name", "", "name of the kernel"),
    column<&K::source_hash>("source_hash", "", "XXH3 of the source"),
    column<&K::target>("target", "", "architecture it was compiled for"),
    column<&K::options>("options", "", "options of the compiler"),
    column<&K::registers>("registers", "1", "registers per thread; -1 if unknown"),
    column<&K::shared_static>("shared_static", "byte", "static shared memory; -1 if unknown"),
    column<&K::local_bytes>("local_bytes", "byte", "local memory per thread; -1 if unknown"),
    column<&K::max_threads>("max_threads", "1", "maximum threads per block; -1 if unknown"),
};

constexpr std::array kCheckColumns{
    column<&O::name>("output", "", "name of the output"),
    column<&O::dtype>("dtype", "", "element type on the device"),
    column<&O::shape>("shape", "", "extents, separated by commas"),
    column<&O::dimensions>("dimensions", "", "names of the axes, separated by commas"),
    column<&O::units>("output_units", "", "units of the elements"),
    column<&O::help>("help", "", "description of the output"),
    column<&O::mode>("mode", "", "mode of the comparison with the reference"),
    column<&O::tolerance>("tolerance", "", "tolerance of the comparison"),
    column<&O::max_abs_err>("max_abs_err", "1", "largest absolute error"),
    column<&O::max_rel_err>("max_rel_err", "1", "largest relative error"),
    column<&O::max_ulp>("max_ulp", "1", "largest error in units in the last place"),
    column<&O::rms_err>("rms_err", "1", "root mean square error"),
    column<&O::mismatches>("mismatches", "1", "elements beyond tolerance; -1 if not compared"),
    column<&O::first_mismatch>("first_mismatch", "", "first element beyond tolerance"),
    column<&O::xxh3>("xxh3", "", "XXH3 of the elements as on the device, in C order"),
    column<&O::minimum>("minimum", "1", "smallest finite element of an array not stored whole"),
    column<&O::maximum>("maximum", "1", "largest finite element of an array not stored whole"),
    column<&O::mean>("mean", "1", "mean of the finite elements of an array not stored whole"),
    column<&O::nonfinite>("nonfinite", "1", "elements that are NaN or infinite; -1 if unknown"),
    column<&O::stride>("stride", "1", "stride of the stored elements; 0: none; -1: unknown"),
};

using F = FindingRecord;
constexpr std::array kFindingColumns{
    column<&F::tool>("tool", "", "source: the host device's checks, or a tool's name"),
    column<&F::check>("check", "", "memory, race, init or sync"),
    column<&F::harmless>("harmless", "", "no result depends on it"),
    column<&F::kernel>("kernel", "", "name of the kernel"),
    column<&F::place>("place", "", "file, line and column in the kernel's text"),
    column<&F::text>("text", "", "that line"),
    column<&F::thread>("thread", "", "thread that did it first: (x,y,z)"),
    column<&F::block>("block", "", "its block"),
    column<&F::other_place>("other_place", "", "place of the other access; empty if there is none"),
    column<&F::other_thread>("other_thread", "", "thread of the other access"),
    column<&F::other_block>("other_block", "", "its block"),
    column<&F::what>("what", "", "action of the thread"),
    column<&F::array>("array", "", "array that was accessed; empty if unknown"),
    column<&F::element>("element", "1", "element of the array; -1 if unknown"),
    column<&F::count>("count", "1", "number of occurrences"),
    column<&F::blocks>("blocks", "1", "number of blocks"),
    column<&F::call>("call", "1", "launch in which it first occurred; -1 if unknown"),
};

using E = CounterRecord;
constexpr std::array kCounterColumns{
    column<&E::kernel>("kernel", "", "name of the kernel; empty: of the whole call"),
    column<&E::launch>("launch", "1", "order of the launch; -1: of the whole call"),
    column<&E::source>("source", "", "source: counter, static, twin or replay"),
    column<&E::name>("name", "", "name of the quantity"),
    column<&E::value>("value", "1", "value, in the unit of the next column"),
    column<&E::unit>("unit", "", "unit of the value"),
};

using D = DeviceCalibration;
constexpr std::array kCalibrationColumns{
    column<&D::device>("name", "", "the device"),
    column<&D::empty_launch>("empty_launch", "s", "time of a launch that does nothing"),
    column<&D::copy_bandwidth>("copy_bandwidth", "byte s-1", "bytes read and written by a copy"),
    column<&D::read_bandwidth>("read_bandwidth", "byte s-1", "bytes read by a sum"),
    column<&D::noise_floor>("noise_floor", "1",
                            "relative difference that 95 % of repeated medians stay below"),
    column<&D::launch_jitter>("launch_jitter", "s",
                              "the same of empty launches, as a time; missing in older files"),
    column<&D::cache_bandwidth>("cache_bandwidth", "byte s-1",
                                "bytes read from the cache shared by all units"),
    column<&D::float32_rate>("float32_rate", "s-1", "float32 operations of fused multiply-adds"),
    column<&D::float64_rate>("float64_rate", "s-1", "float64 operations of fused multiply-adds"),
    column<&D::float16_rate>("float16_rate", "s-1", "float16 operations of fused multiply-adds"),
    column<&D::tensor_rate>("tensor_rate", "s-1",
                            "operations of the matrix units, float16 to float32"),
};

constexpr std::array kJobColumns{
    column<&JobRecord::name>("name", "", "name of the job"),
    column<&JobRecord::spec_written>("spec_written", "", "the job file as written"),
    column<&JobRecord::spec_resolved>("spec_resolved", "", "the job with all defaults"),
    column<&JobRecord::sha>("sha256", "", "SHA-256 of the job as written"),
};

}  // namespace

Columns<Place> places() { return kPlaceColumns; }
Columns<Parent> parents() { return kParentColumns; }
Columns<Sample> samples() { return kSampleColumns; }
Columns<LaunchRecord> launches() { return kLaunchColumns; }
Columns<KernelRecord> kernels() { return kKernelColumns; }
Columns<OutputRecord> checks() { return kCheckColumns; }
Columns<FindingRecord> findings() { return kFindingColumns; }
Columns<CounterRecord> counters() { return kCounterColumns; }
Columns<DeviceCalibration> calibrations() { return kCalibrationColumns; }
Columns<JobRecord> jobs() { return kJobColumns; }

}  // namespace kernelbatch::schema
