#include "core/kernel/program/compile_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/archive.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"

namespace kernelbatch {
namespace {

/// Text and code are lists, since an archive's texts are UTF-8.
struct CompileOrder {
  std::string compiler, name;
  std::vector<char> text;
  std::vector<std::string> entries, options;
  bool has_plain_names = false, is_nvcc = false;
  static constexpr auto kMembers =
      std::tuple{&CompileOrder::compiler, &CompileOrder::name,    &CompileOrder::text,
                 &CompileOrder::entries,  &CompileOrder::options, &CompileOrder::has_plain_names,
                 &CompileOrder::is_nvcc};
};

/// Type of an exception that compile_cached() throws.
enum class Thrown : std::uint8_t {
  kNone,
  kCompile,
  kMissingTool,
  kUnsupported,
  kSpec,
  kEnvironment
};

struct CompileAnswer {
  std::uint8_t thrown = 0;
  std::vector<char> message, log, source;  ///< of the exception
  std::string target;
  std::vector<char> code;
  std::vector<std::pair<std::string, std::string>> symbols;
  bool is_built = false, is_from_cache = false;
  std::string key;
  double seconds = 0;
  static constexpr auto kMembers =
      std::tuple{&CompileAnswer::thrown,  &CompileAnswer::message,  &CompileAnswer::log,
                 &CompileAnswer::source,  &CompileAnswer::target,   &CompileAnswer::code,
                 &CompileAnswer::symbols, &CompileAnswer::is_built, &CompileAnswer::is_from_cache,
                 &CompileAnswer::key,     &CompileAnswer::seconds};
};

std::vector<char> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }
std::string text_of(const std::vector<char>& bytes) { return {bytes.begin(), bytes.end()}; }

bool send_all(int socket, const void* from, std::size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t count = ::send(socket, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool receive_all(int socket, void* to, std::size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t count = ::recv(socket, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool send_frame(int socket, const std::string& frame) {
  const std::uint64_t size = frame.size();
  return send_all(socket, &size, sizeof size) && send_all(socket, frame.data(), frame.size());
}

/// Nothing at the end of the connection, or for a frame that no request or image needs.
std::optional<std::string> receive_frame(int socket) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;
  std::uint64_t size = 0;
  if (!receive_all(socket, &size, sizeof size) || size > kLargest) return std::nullopt;
  std::string frame(size, '\0');
  if (!receive_all(socket, frame.data(), frame.size())) return std::nullopt;
  return frame;
}

template <class T>
std::string archived(const T& value) {
  ArchiveWriter writer;
  writer.put(value);
  return writer.take();
}

/// The host device's compilers, without and with checks.
class HostCompilers {
 public:
  Compiler& with_identity(const std::string& identity) {
    if (plain_->identity() == identity) return *plain_;
    if (!checked_) checked_ = open_checked_device({.selector = "host"}, all_checks());
    if (checked_->compiler().identity() == identity) return checked_->compiler();
    throw EnvironmentError("the compiler of the host device has changed");
  }

 private:
  std::unique_ptr<Compiler> plain_ = make_compiler("host");
  std::unique_ptr<Device> checked_;
};

CompileAnswer failure(Thrown thrown, const std::exception& error) {
  CompileAnswer answer;
  answer.thrown = static_cast<std::uint8_t>(thrown);
  answer.message = bytes_of(error.what());
  return answer;
}

CompileAnswer compiled(const CompileOrder& order, HostCompilers& compilers) {
  try {
    KernelSource source{
        .name = order.name,
        .text = text_of(order.text),
        .entries = order.entries,
        .options = order.options,
        .has_plain_names = order.has_plain_names,
        .prebuilt = {},
        .backend = order.is_nvcc ? CompilerBackend::kNvcc : CompilerBackend::kNvrtc};
    const CachedImage cached = compile_cached(source, compilers.with_identity(order.compiler));
    CompileAnswer answer;
    answer.target = cached.image.target;
    answer.code = bytes_of(cached.image.bytes);
    answer.symbols = {cached.image.symbols.begin(), cached.image.symbols.end()};
    if (cached.build) {
      answer.is_built = true;
      answer.is_from_cache = cached.build->is_from_cache;
      answer.key = cached.build->key;
      answer.seconds = cached.build->seconds;
    }
    return answer;
  } catch (const CompileError& error) {
    CompileAnswer answer = failure(Thrown::kCompile, error);
    answer.log = bytes_of(error.log());
    answer.source = bytes_of(error.source());
    return answer;
  } catch (const MissingToolError& error) {
    return failure(Thrown::kMissingTool, error);
  } catch (const UnsupportedError& error) {
    return failure(Thrown::kUnsupported, error);
  } catch (const SpecError& error) {
    return failure(Thrown::kSpec, error);
  } catch (const std::exception& error) {
    return failure(Thrown::kEnvironment, error);
  }
}

void rethrow(const CompileAnswer& answer) {
  const std::string message = text_of(answer.message);
  switch (static_cast<Thrown>(answer.thrown)) {
    case Thrown::kNone:
      return;
    case Thrown::kCompile:
      throw CompileError(message, text_of(answer.log), text_of(answer.source));
    case Thrown::kMissingTool:
      throw MissingToolError(message);
    case Thrown::kUnsupported:
      throw UnsupportedError(message);
    case Thrown::kSpec:
      throw SpecError(message);
    case Thrown::kEnvironment:
      break;
  }
  throw EnvironmentError(message);
}

/// Serves requests until the other end is closed. The worker's channel must not stay open here when
/// the worker ends.
[[noreturn]] void serve(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "kb-compile");
  constexpr unsigned kFirst = 3;
  const auto own = static_cast<unsigned>(socket);
  if (own > kFirst) ::syscall(SYS_close_range, kFirst, own - 1, 0U);
  ::syscall(SYS_close_range, own + 1, ~0U, 0U);
  try {
    HostCompilers compilers;
    while (const auto frame = receive_frame(socket)) {
      const auto order = ArchiveReader(*frame).get<CompileOrder>();
      if (!send_frame(socket, archived(compiled(order, compilers)))) break;
    }
  } catch (const std::exception&) {  // a request that is none: this end closes
  }
  ::_exit(0);
}

std::unique_ptr<CompileProcess> started;

}  // namespace

CompileProcess::CompileProcess() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw EnvironmentError(fmt::format("cannot create a socket: {}", std::strerror(errno)));
  socket_ = FileDescriptor{ends[0]};
  FileDescriptor theirs{ends[1]};
  const pid_t child = ::fork();
  if (child < 0)
    throw EnvironmentError(
        fmt::format("cannot start a process for compilers: {}", std::strerror(errno)));
  if (child == 0) serve(theirs.get());
}

CachedImage CompileProcess::compile(const KernelSource& source, const std::string& compiler) {
  // Only texts are sent: code for a GPU would be an empty one.
  if (source.text.empty() && !source.prebuilt.empty())
    throw UnsupportedError(fmt::format("needs cuda: '{}' is code for a GPU", source.name));
  const std::string order = archived(
      CompileOrder{compiler, source.name, bytes_of(source.text), source.entries, source.options,
                   source.has_plain_names, source.backend == CompilerBackend::kNvcc});
  const std::string hash = hash_hex(order);
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(hash); found != known_.end()) return {found->second};
  const auto frame = send_frame(socket_.get(), order) ? receive_frame(socket_.get()) : std::nullopt;
  if (!frame) throw EnvironmentError("the process that compiles kernels has ended");
  const auto answer = ArchiveReader(*frame).get<CompileAnswer>();
  rethrow(answer);
  CachedImage cached{{answer.target, text_of(answer.code), {}}};
  cached.image.symbols.insert(answer.symbols.begin(), answer.symbols.end());
  known_.emplace(hash, cached.image);
  if (answer.is_built)
    cached.build = {source.name, answer.key, answer.is_from_cache, answer.seconds};
  return cached;
}

void start_compile_process() {
  if (!started) started = std::make_unique<CompileProcess>();
}

CompileProcess* compile_process() noexcept { return started.get(); }

}  // namespace kernelbatch
