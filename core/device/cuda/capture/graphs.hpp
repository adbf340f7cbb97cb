// Graphs: kernels that the program launches in CUDA graphs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/cuda/capture/graph_copies.hpp"
#include "core/device/cuda/capture/modules.hpp"
#include "core/device/cuda/capture/program_memory.hpp"
#include "core/device/cuda/capture/recorder.hpp"

namespace kernelbatch::capture {

/// Counts the kernels of graphs. Around one kernel of a graph that may be recorded it adds nodes
/// that copy its memory: while a graph runs, nothing else can read it.
class Graphs {
 public:
  Graphs(const LoadedCuda& cuda, ProgramMemory& memory, Recorder& recorder, Modules& modules)
      : cuda_(cuda), memory_(memory), recorder_(recorder), modules_(modules) {}

  /// Before a graph is instantiated, and after that on the same thread.
  void prepare(CUgraph graph);
  void instantiated(CUgraphExec executable);
  /// After a launch: records it if it is one of those asked for.
  void launched(CUgraphExec executable);
  /// The executable graph gets other arguments: it is no longer recorded.
  void changed(CUgraphExec executable);
  /// The executable graph ends.
  void forget(CUgraphExec executable);

 private:
  struct Watched {
    explicit Watched(const LoadedCuda& cuda) : copies(cuda) {}
    Capture capture = {};
    GraphCopies copies;
    std::vector<SeenKernel*> kernels = {};  ///< those that match, in the order of the graph
    std::size_t chosen = 0;                 ///< among them
  };
  struct Node {
    CUgraph graph = nullptr;  ///< a child graph has its own
    CUgraphNode node = nullptr;
    CUDA_KERNEL_NODE_PARAMS parameters = {};
  };
  void add_matching(CUgraph graph, std::vector<Node>& nodes, std::vector<SeenKernel*>& kernels);
  std::unique_ptr<Watched> watch(const Node& node);
  static std::unique_ptr<Watched>& prepared();

  const LoadedCuda& cuda_;
  ProgramMemory& memory_;
  Recorder& recorder_;
  Modules& modules_;
  std::mutex mutex_;
  std::map<CUgraphExec, std::unique_ptr<Watched>> watched_;
  /// Their nodes are still in the program's graphs, which may be instantiated again.
  std::vector<std::unique_ptr<Watched>> retired_;
};

}  // namespace kernelbatch::capture
