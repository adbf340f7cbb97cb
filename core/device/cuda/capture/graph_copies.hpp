// GraphCopies: nodes that copy the memory of a kernel node before and after it.
#pragma once

#include <cuda.h>

#include <vector>

#include "core/device/cuda/capture/loaded_cuda.hpp"
#include "core/device/cuda/capture/memory.hpp"

namespace kernelbatch::capture {

/// Page-locked host memory for the contents of ranges, and the nodes that fill it.
class GraphCopies {
 public:
  explicit GraphCopies(const LoadedCuda& cuda) : cuda_(cuda) {}
  GraphCopies(const GraphCopies&) = delete;
  GraphCopies& operator=(const GraphCopies&) = delete;
  ~GraphCopies();

  /// Adds nodes to a graph that is not yet instantiated. False if that failed; the graph is then
  /// as before.
  bool add(CUgraph graph, CUgraphNode kernel, const std::vector<Range>& ranges);
  /// Turns the copies off: the memory that they read may be freed.
  void disable(CUgraphExec executable) const;
  /// Contents at the last launch of the graph, which has ended.
  std::vector<Block> blocks() const;

 private:
  struct Copy {
    Range range;
    void *before = nullptr, *after = nullptr;
  };
  bool add_nodes(CUgraph graph, CUgraphNode kernel);
  CUgraphNode add_copy(CUgraph graph, const Range& range, void* to,
                       const std::vector<CUgraphNode>& after);
  bool order(CUgraph graph, CUgraphNode first, CUgraphNode second);

  const LoadedCuda& cuda_;
  std::vector<Copy> copies_;
  std::vector<CUgraphNode> added_;
};

}  // namespace kernelbatch::capture
