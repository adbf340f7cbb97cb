// Kernels whose PTX, made by `nvcc -ptx -fmad=false -arch=sm_80`, gives the same bits as this text. Each takes
// (const float* in, float* out, int n).
__constant__ float weights[4] = {0.5f, -1.25f, 3.0f, 1.0f / 3};
__device__ int calls = 3;

struct Options {
  float factor;
  short shift;
  double offset;
  int table[6];
};

__device__ __noinline__ float choose(float x, int k) {
  switch (k) {
    case 0:
      return x + 1;
    case 1:
      return x * x;
    case 2:
      return x / 3;
    case 3:
      return x - 7;
    case 4:
      return -x;
    case 5:
      return x * 0.25f;
    case 6:
      return fabsf(x) + 2;
    default:
      return 0;
  }
}
__device__ __noinline__ Options doubled(Options o) {
  o.factor *= 2;
  o.offset += 1;
  for (int k = 0; k < 6; ++k) o.table[k] += k;
  return o;
}
using Function = float (*)(float);
__device__ __noinline__ float plus_one(float x) { return x + 1; }
__device__ __noinline__ float squared(float x) { return x * x; }
__device__ Function functions[2] = {plus_one, squared};

extern "C" {

__global__ void add(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * weights[i % 4] + 1.5f * calls;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) tile[threadIdx.x] += tile[threadIdx.x + step];
    __syncthreads();
  }
  if (i < n) out[i] = tile[0] + tile[threadIdx.x];
}

__global__ void dynamic(const float* in, float* out, int n) {
  extern __shared__ float rows[];
  __shared__ int order[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  rows[t] = i < n ? in[i] : 0;
  order[t] = (t * 7 + 3) % 256;
  __syncthreads();
  if (i < n) out[i] = rows[order[t]] + order[255 - t];
}

__global__ void warps(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0;
  for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffffu, x, k);
  const unsigned odd = __ballot_sync(0xffffffffu, i % 3 == 1);
  x += __shfl_up_sync(0xffffffffu, x, 3) + __popc(odd) + __shfl_down_sync(0xffffffffu, x, 2, 8);
  if (__any_sync(0xffffffffu, x > 100)) x -= 1;
  if (i < n) out[i] = x + __reduce_add_sync(0xffffffffu, i) + __match_any_sync(0xffffffffu, i / 5);
}

__global__ void switches(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = choose(in[i], i % 9) + functions[i & 1](in[i]);
}

__global__ void structs(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Options o{in[i], static_cast<short>(i - 5), in[i] * 2.0, {1, 2, 3, 4, 5, i}};
  o = doubled(o);
  out[i] = o.factor + o.shift + static_cast<float>(o.offset) + o.table[i % 6];
}

__global__ void local_sort(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own[9];
  for (int k = 0; k < 9; ++k) own[k] = in[(i + k * k) % n];
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 8 - a; ++b)
      if (own[b] > own[b + 1]) {
        const float t = own[b];
        own[b] = own[b + 1];
        own[b + 1] = t;
      }
  if (i < n) out[i] = own[i % 9] + own[4];
}

__global__ void atomics(const float* in, float* out, int n) {
  __shared__ int counts[8];
  __shared__ unsigned long long most;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 8) counts[t] = 0;
  if (t == 8) most = 0;
  __syncthreads();
  atomicAdd(&counts[t % 8], t);
  atomicMax(&counts[(t + 1) % 8], t);
  atomicCAS(&counts[3], -1, 5);
  atomicMax(&most, static_cast<unsigned long long>(t) << 33);
  __syncthreads();
  if (i < n) out[i] = counts[t % 8] + (most >> 33);
}

__global__ void vectors(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 >= n) return;
  float4 x = reinterpret_cast<const float4*>(in)[i];
  x.x += x.w;
  x.y *= x.z;
  const double2 d = make_double2(x.x, x.y);
  x.z = static_cast<float>(d.x * d.y);
  reinterpret_cast<float4*>(out)[i] = x;
}

__global__ void functions_of(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  out[i] = sinf(x) + expf(x * 0.1f) * sqrtf(fabsf(x)) + logf(fabsf(x) + 1) + atan2f(x, 2) +
           powf(fabsf(x), 1.5f) + static_cast<float>(erf(static_cast<double>(x)) + cbrt(x * 1.0));
}

__global__ void integers(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int a = static_cast<int>(in[i] * 1e6f), b = i * 2654435761u;
  const long long c = static_cast<long long>(a) * b;
  unsigned u = a / 7 + b % 13 + __clz(a) + __popc(b) + __brev(a) + __byte_perm(a, b, 0x5270);
  u += __funnelshift_l(a, b, i) ^ __mulhi(a, b) ^ __umulhi(a, b) ^ static_cast<unsigned>(c >> 17);
  u ^= static_cast<unsigned>(c / (i + 3)) + static_cast<unsigned>(__mul64hi(c, c + i)) + __ffs(b);
  u += __dp4a(a, b, i) + __sad(a, b, i) + __vadd2(a, b) + __vabsdiffu2(a, b) + max(a, b) + min(a, i);
  out[i] = static_cast<float>(u >> 8) + static_cast<float>(static_cast<unsigned char>(u));
}
}
