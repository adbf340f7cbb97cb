// kernelbatch serve: judges kernels in a loop.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/try/judge_clients.hpp"
#include "core/app/try/judge_server.hpp"
#include "core/app/try/try_options.hpp"
#include "core/base/error.hpp"

namespace kernelbatch::app {
namespace {

struct ServeOptions {
  TryOptions request;
  std::string socket;
  bool uses_stdio = false, has_host_times = false;
  int compilers = 0;
};

int serve(const ServeOptions& options) {
  if (options.uses_stdio == !options.socket.empty())
    throw SpecError("serve needs --stdio or --socket PATH");
  const TryDevice device = TryDevice::choose(options.request.device);
  if (!device.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", device.note);
  const int interrupt = catch_interrupts();
  const ScratchFolder scratch;
  std::size_t requests = 0;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  JudgeServer server({.device = device,
                      .compilers = options.compilers > 0 ? options.compilers : cores,
                      .interrupt = interrupt,
                      .is_timed = device.is_timed(options.has_host_times)});
  const OnRequest on_request = [&](std::string_view line,
                                   const std::shared_ptr<JudgeClient>& client) {
    server.submit(read_request(line, options.request, scratch, ++requests),
                  [client](const JudgedJson& reply) { client->reply(reply.dump() + "\n"); });
  };
  if (options.uses_stdio)
    serve_stdio(interrupt, on_request);
  else
    serve_socket(options.socket, interrupt, on_request);
  return interrupting_signal() == 0 ? 0 : static_cast<int>(ExitCode::kResumable);
}

}  // namespace

Command serve_command() {
  auto options = std::make_shared<ServeOptions>();
  Command command{.name = "serve",
                  .summary = "Judge kernels in a loop: requests and verdicts are lines of JSON"};
  command.add({{.names = {"--stdio"},
                .help = "Read requests from standard input until its end, write to standard output",
                .target = &options->uses_stdio},
               {.names = {"--socket"},
                .help = "Serve a Unix socket that only this user can use",
                .target = &options->socket,
                .type = kAnyFile},
               {.names = {"--compilers"},
                .help = "Compilers that run at once; default: one for each core",
                .target = &options->compilers,
                .is_positive = true},
               host_times_option(options->has_host_times)});
  command.add(try_options(options->request));
  command.examples = {{"kernelbatch serve --stdio --reference ref.cu --in x.npy --out y",
                       "requests then need only {\"id\": 1, \"source\": \"…\"}"}};
  command.action = [options] { return serve(*options); };
  return command;
}

}  // namespace kernelbatch::app
