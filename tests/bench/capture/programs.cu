// Programs whose kernels are captured: programs NAME. Each launches one kind of kernel eleven times.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
  do {                                                                         \
    const cudaError_t result = (call);                                         \
    if (result != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result));     \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

constexpr int kCount = 1 << 22;

__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] += a * x[k];
}

struct View {
  const float* data;
  float* result;
  int size, stride;
};
__global__ void in_struct(View view) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < view.size) view.result[k] = 2 * view.data[k * view.stride];
}

__global__ void batched(float* const* arrays, int n) {
  float* const array = arrays[blockIdx.y];
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) array[k] = array[k] * 0.5f + float(blockIdx.y);
}

__global__ void cooperative_sum(const float* x, float* partial, float* sum, int n) {
  __shared__ float values[256];
  float own = 0;
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) own += x[k];
  values[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = values[0];
  cg::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    float all = 0;
    for (int k = 0; k < gridDim.x; ++k) all += partial[k];
    *sum = all;
  }
}

__global__ void clustered(const float* x, float* y, int n) {
  __shared__ float own[256];
  cg::cluster_group cluster = cg::this_cluster();
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = k < n ? x[k] : 0;
  cluster.sync();
  float* const next = cluster.map_shared_rank(own, (cluster.block_rank() + 1) % cluster.num_blocks());
  const float value = next[threadIdx.x];
  cluster.sync();
  if (k < n) y[k] = value;
}

__global__ void atomic_count(const int* values, unsigned* histogram, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) atomicAdd(&histogram[values[k] & 255], 1u);
}

__global__ void tensor_map_copy(const __grid_constant__ CUtensorMap map, float* y) {
  __shared__ alignas(128) float tile[16 * 64];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned place = unsigned(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place), "r"(unsigned(sizeof tile)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            unsigned(__cvta_generic_to_shared(tile))),
        "l"(&map), "r"(int(blockIdx.x * 64)), "r"(int(blockIdx.y * 16)), "r"(place)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(place)
        : "memory");
  for (int k = threadIdx.x; k < 16 * 64; k += blockDim.x)
    y[(blockIdx.y * 16 + k / 64) * (gridDim.x * 64) + blockIdx.x * 64 + k % 64] = tile[k] + 1;
}

__constant__ float table[256];
__device__ unsigned launches = 3;
__global__ void from_table(float* y, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = table[k & 255] + float(launches);
  if (k == 0) launches += 1;
}

__global__ void spin(long long cycles, int* sink) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (cycles < 0) *sink = 1;
}

struct Arrays {
  float *x = nullptr, *y = nullptr;
  Arrays() {
    std::vector<float> values(kCount);
    for (int k = 0; k < kCount; ++k) values[k] = float((k * 7919) % 1000) / 1000;
    CHECK(cudaMalloc(&x, kCount * sizeof(float)));
    CHECK(cudaMalloc(&y, kCount * sizeof(float)));
    CHECK(cudaMemcpy(x, values.data(), kCount * sizeof(float), cudaMemcpyDefault));
    CHECK(cudaMemcpy(y, values.data(), kCount * sizeof(float), cudaMemcpyDefault));
  }
};

/// Allocated once: new memory would change the time of a launch.
template <class T>
T* memory_of(std::size_t count) {
  static T* memory = nullptr;
  if (memory == nullptr) CHECK(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

void run(const char* name) {
  static const Arrays arrays;
  float *x = arrays.x, *y = arrays.y;
  int n = kCount;
  const int blocks = kCount / 256;
  if (std::strcmp(name, "saxpy") == 0) saxpy<<<blocks, 256>>>(1.5f, x, y, n);
  if (std::strcmp(name, "struct") == 0) in_struct<<<blocks / 2, 256>>>(View{x, y, n / 2, 2});
  if (std::strcmp(name, "managed") == 0) {
    static float* shared = nullptr;
    if (shared == nullptr) CHECK(cudaMallocManaged(&shared, kCount * sizeof(float)));
    for (int k = 0; k < kCount; ++k) shared[k] = float(k);
    saxpy<<<blocks, 256>>>(2.0f, shared, y, n);
  }
  if (std::strcmp(name, "pool") == 0) {
    static float* pooled = nullptr;
    if (pooled == nullptr) CHECK(cudaMallocAsync(&pooled, kCount * sizeof(float), nullptr));
    CHECK(cudaMemcpyAsync(pooled, x, kCount * sizeof(float), cudaMemcpyDefault, nullptr));
    saxpy<<<blocks, 256>>>(3.0f, pooled, y, n);
  }
  if (std::strcmp(name, "batched") == 0) {
    float* list[2] = {x, y};
    float** const on_device = memory_of<float*>(2);
    CHECK(cudaMemcpy(on_device, list, sizeof list, cudaMemcpyDefault));
    batched<<<dim3(blocks, 2), 256>>>(on_device, n);
  }
  if (std::strcmp(name, "cooperative") == 0) {
    float* partial = memory_of<float>(64);
    void* arguments[] = {&x, &partial, &y, &n};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative_sum), 64, 256, arguments, 0, nullptr));
  }
  if (std::strcmp(name, "cluster") == 0) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, clustered, static_cast<const float*>(x), y, n));
  }
  if (std::strcmp(name, "atomics") == 0) {
    unsigned* const histogram = memory_of<unsigned>(256);
    CHECK(cudaMemset(histogram, 0, 256 * sizeof(unsigned)));
    atomic_count<<<blocks, 256>>>(reinterpret_cast<int*>(x), histogram, n);
  }
  if (std::strcmp(name, "tensor_map") == 0) {
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult state{};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &state));
    CUtensorMap map{};
    const cuuint64_t extents[] = {512, 512}, strides[] = {512 * sizeof(float)};
    const cuuint32_t box[] = {64, 16}, steps[] = {1, 1};
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) std::fprintf(stderr, "tensor map: %d\n", int(result));
    tensor_map_copy<<<dim3(8, 32), 128>>>(map, y);
  }
  if (std::strcmp(name, "thrust") == 0) {
    thrust::device_vector<unsigned> keys(kCount);
    thrust::sequence(keys.begin(), keys.end(), 0u, 2654435761u);
    thrust::sort(keys.begin(), keys.end());
    std::printf("%u\n", thrust::reduce(keys.begin(), keys.end()));
  }
  if (std::strstr(name, "variables") != nullptr) {
    float values[256];
    for (int k = 0; k < 256; ++k) values[k] = float(k) / 7;
    CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
  }
  if (std::strcmp(name, "variables") == 0) from_table<<<1, 256>>>(y, 256);
  if (std::strcmp(name, "graph") == 0 || std::strcmp(name, "graph_variables") == 0) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    if (name[5] == '\0')
      saxpy<<<blocks, 256, 0, stream>>>(1.5f, x, y, n);
    else
      from_table<<<1, 256, 0, stream>>>(y, 256);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, stream));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

/// Wall time of 20,000 launches of 5 us.
void time_launches() {
  int* sink = nullptr;
  CHECK(cudaMalloc(&sink, sizeof(int)));
  const auto loop = [&](int launches) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < launches; ++k) spin<<<1, 32>>>(8000, sink);
    CHECK(cudaDeviceSynchronize());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  loop(1000);
  std::printf("%.4f\n", loop(20000));
}

/// The measured part begins: one program at a time.
void wait_for_turn() {
  if (const char* const gate = std::getenv("CAPTURE_GATE")) {
    std::ofstream(gate + std::string(".ready"));
    while (!std::filesystem::exists(gate + std::string(".go")))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(cudaProfilerStart());
}

int main(int count, char** words) {
  const char* const name = count > 1 ? words[1] : "saxpy";
  if (std::strcmp(name, "launches") == 0) {
    time_launches();
    return 0;
  }
  run(name);
  wait_for_turn();
  for (int k = 0; k < 10; ++k) run(name);
  CHECK(cudaProfilerStop());
  std::printf("%s done\n", name);
  return count > 2 ? std::atoi(words[2]) : 0;
}
