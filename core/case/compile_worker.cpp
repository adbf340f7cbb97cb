#include "core/case/compile_worker.hpp"

#include <fcntl.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/case_request.hpp"
#include "core/case/channel.hpp"
#include "core/case/compile_run.hpp"
#include "core/case/worker_life.hpp"
#include "core/device/device_list.hpp"
#include "core/measure/calibration.hpp"

namespace kernelbatch {
namespace {

class CompileWorker {
 public:
  explicit CompileWorker(Channel& channel) : channel_(channel) {}

  void serve() {
    while (const auto frame = channel_.wait()) {
      try {
        compile_case(case_request_from_json(frame->text));
      } catch (const std::exception& error) {
        const auto* known = dynamic_cast<const Error*>(&error);
        WorkerMessage message;
        message.event = "failed";
        message.text = error.what();
        message.exit_code =
            static_cast<int>(known != nullptr ? known->exit_code() : ExitCode::kCaseFailed);
        channel_.send(to_json(message));
      }
    }
  }

 private:
  Device& device(const std::string& target) {
    if (!device_ || target != target_) {
      device_ = open_compile_only(compile_target(target));
      target_ = target;
      // Every job begins with them; they are no variant's, so nobody is told.
      compile_calibration(*device_);
    }
    return *device_;
  }

  void compile_case(const CaseRequest& request) {
    const WorkloadInfo& info = loader_.info(request);
    const Params params(request.params, info.parameters);
    const auto problem = loader_.problem(request, [](double) {}).problem;
    Device& target = device(request.device);
    for (const std::string& name : request.variants)
      for (const VariantDeclaration& variant : info.variants) {
        if (variant.name != name) continue;
        WorkerMessage message;
        message.event = "phase";
        message.variant = name;
        channel_.send(to_json(message));
        message.event = "built";
        message.text = to_json(compile_variant(variant, *problem, params, target));
        channel_.send(to_json(message));
      }
    WorkerMessage done;
    done.event = "case_done";
    channel_.send(to_json(done));
  }

  Channel& channel_;
  CaseLoader loader_;
  std::unique_ptr<Device> device_;
  std::string target_;
};

}  // namespace

DeviceProperties compile_target(const std::string& target) {
  if (!target.starts_with("sm_")) return properties_of(choose_device(target));
  const std::size_t colon = target.find(':');
  const int units =
      colon == std::string::npos ? 0 : static_cast<int>(parse_integer(target.substr(colon + 1)));
  return properties_of_target(target.substr(0, colon), units);
}

int run_compile_worker(int socket) {
  end_with_supervisor(socket);
  std::signal(SIGPIPE, SIG_IGN);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{FileDescriptor{socket}};
  CompileWorker(channel).serve();
  return 0;
}

}  // namespace kernelbatch
