// Sources of raw kernels: text, files, compiled code.
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/text/code_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cuda_compiler.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

using test::cuda_compiler;
using test::device;
using test::device_array;
using test::source_of;
using test::stream;
using test::values_of;

std::filesystem::path write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string module_error(const std::filesystem::path& path) {
  return test::error_text<SpecError>([&] { RawModule{KernelFile{path}}; });
}

TEST_CASE("A .cu file is compiled, with headers of its folder") {
  const test::TemporaryFolder folder;
  write(folder / "three.cuh", "#define THREE 3\n");
  const auto path = write(folder / "put.cu",
                          "#include \"three.cuh\"\n"
                          "extern \"C\" __global__ void put(int* x) { *x = THREE; }\n");
  const Array x = device_array<int>({0});
  RawKernel(KernelFile{path}, "put")(stream(), {}, x);
  CHECK(values_of<int>(x)[0] == 3);
}

TEST_CASE("A .cu file may begin with a byte order mark") {
  const test::TemporaryFolder folder;
  const auto path = write(folder / "marked.cu",
                          "\xEF\xBB\xBF"
                          "extern \"C\" __global__ void put(int* x) { *x = 4; }\n");
  const Array x = device_array<int>({0});
  RawKernel(KernelFile{path}, "put")(stream(), {}, x);
  CHECK(values_of<int>(x)[0] == 4);
}

TEST_CASE("A compile error names the file and its line") {
  const test::TemporaryFolder folder;
  const auto path =
      write(folder / "wrong.cu", "\nextern \"C\" __global__ void f(int* x) { *x = what; }");
  CHECK_THAT(test::error_text<CompileError>(
                 [&] { RawKernel(KernelFile{path}, "f")(stream(), {}, device_array<int>({0})); }),
             Contains("wrong.cu:2") || Contains("wrong.cu(2)"));
}

TEST_CASE("A file that cannot be a kernel is an error with its name and the reason") {
  const test::TemporaryFolder folder;
  const std::string missing = (folder / "missing.cu").string();
  CHECK(module_error(missing) == "cannot read '" + missing + "': No such file or directory");
  const std::string text = write(folder / "kernel.txt", "").string();
  CHECK(module_error(text) ==
        "cannot take '" + text + "' as a kernel: expected .cu, .ptx, .cubin or .fatbin");
  const std::string cubin = write(folder / "a.cubin", "not at all").string();
  CHECK(module_error(cubin) == "'" + cubin + "' is no cubin file: it is not an ELF image");
  const std::string fatbin = write(folder / "a.fatbin", "not at all").string();
  CHECK(module_error(fatbin) ==
        "'" + fatbin + "' is no fatbin file: it does not begin like a fat binary");
  const std::string ptx = write(folder / "a.ptx", "not at all").string();
  CHECK(module_error(ptx) == "'" + ptx + "' is no ptx file: it has no .version and .target");
}

constexpr const char* kPutPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry put(.param .u64 put_x, .param .u32 put_v)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [put_x];
  ld.param.u32 %r1, [put_v];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

TEST_CASE("PTX files run on every device, cubin files on a GPU") {
  const test::TemporaryFolder folder;
  const auto ptx = write(folder / "put.ptx", kPutPtx);
  const Array x = device_array<int>({0});
  RawModule(KernelFile{ptx}).function("put")(stream(), {}, x, 7);
  CHECK(values_of<int>(x)[0] == 7);
  CHECK_THAT(test::error_text<SpecError>(
                 [&] { RawModule(KernelFile{ptx}).function("get")(stream(), {}, x, 7); }),
             Contains("'get'"));
  CHECK(test::error_text<SpecError>([&] {
          RawModule(KernelFile{ptx}).function("put")(stream(), {}, x, 7.0);
        }) == "argument 2 of 'put' has 8 bytes, the kernel's parameter 4");

  if (!test::on_cuda()) {
    const auto header = write(folder / "other.fatbin",
                              std::string("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16));
    CHECK(test::error_text<UnsupportedError>([&] {
            RawModule(KernelFile{header}).function("put")(stream(), {}, x, 7);
          }) == "needs cuda: '" + header.string() + "' is code for a GPU");
    return;
  }
  const Image image = device().compiler().compile(
      source_of("extern \"C\" __global__ void twice(int* x) { *x *= 2; }", {"twice"}));
  const auto cubin = write(folder / "put.cubin", image.bytes);
  RawModule(KernelFile{cubin}).function("twice")(stream(), {}, x);
  CHECK(values_of<int>(x)[0] == 14);
}

TEST_CASE("Fat binaries, and images with a PTX file, run on the host device") {
  const auto fatbin =
      std::filesystem::path(__FILE__).parent_path() / "../../device/fatbins/zstd.fatbin";
  const Array x = device_array<int>({0});
  RawModule(KernelFile{fatbin}, {"put"}).function("put")(stream(), {}, x, 8);
  CHECK(values_of<int>(x)[0] == 8);
  if (test::on_cuda()) return;
  const test::TemporaryFolder folder;
  const auto without =
      write(folder / "other.fatbin", std::string("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16));
  const KernelFile file{.path = without, .ptx = write(folder / "put.ptx", kPutPtx)};
  RawModule(file, {"put"}).function("put")(stream(), {}, x, 9);
  CHECK(values_of<int>(x)[0] == 9);
  write(file.ptx, "no code");
  CHECK_THAT(test::error_text<SpecError>([&] { RawModule(file, {"put"}); }),
             Contains("is no ptx file: it has no .version"));
}

TEST_CASE("Truncated code, or code not for a GPU, is an error with the reason") {
  const test::TemporaryFolder folder;
  const auto no_gpu = write(folder / "self.cubin", read_file(executable_path()));
  CHECK(module_error(no_gpu) ==
        "'" + no_gpu.string() + "' is no cubin file: it is an ELF image, but not for a GPU");
  const auto compiler = cuda_compiler();
  if (!compiler) return;
  const std::string bytes =
      compiler->compile(source_of("extern \"C\" __global__ void f() {}", {"f"})).bytes;
  CHECK(module_error(write(folder / "whole.cubin", bytes)) == "nothing was thrown");
  const auto half = write(folder / "half.cubin", bytes.substr(0, bytes.size() / 2));
  CHECK(module_error(half) == "'" + half.string() + "' is no cubin file: it is cut off");
  const auto fatbin = write(folder / "half.fatbin",
                            std::string("\x50\xed\x55\xba\1\0\x10\0\x7f\0\0\0\0\0\0\0", 16));
  CHECK(module_error(fatbin) == "'" + fatbin.string() + "' is no fatbin file: it is cut off");
}

TEST_CASE("Compiled code that the driver refuses is an error that names the file") {
  const test::TemporaryFolder folder;
  const auto ptx = write(folder / "bad.ptx", ".version 7.0\n.target sm_75\nnonsense\n");
  if (!test::on_cuda()) {
    WARN("not checked: needs cuda");
    return;
  }
  CHECK_THAT(test::error_text<SpecError>(
                 [&] { RawModule(KernelFile{ptx}).function("put")(stream(), {}); }),
             Contains("cannot load '" + ptx.string() + "': loading compiled code for sm_"));
}

TEST_CASE("Without a list, a module has every function of its text") {
  const RawModule module{
      "extern \"C\" __global__ void one(int* x) { *x = 1; }\n"
      "template <class T> __global__ void any(T* x) { *x = 3; }\n"
      "extern \"C\" __global__ void two(int* x) { *x = 2; }\n"};
  const Array x = device_array<int>({0});
  module.function("two")(stream(), {}, x);
  CHECK(values_of<int>(x)[0] == 2);
  CHECK(test::error_text<SpecError>([&] { module.function("ones"); }) ==
        "the module was made without 'ones' (did you mean 'one'?)");
}

TEST_CASE("Code for another architecture is reported with both") {
  const std::string ptx = ".version 8.7\n.target sm_";
  CHECK(reason_not_for("sm_90", ptx + "80\n").empty());
  CHECK(reason_not_for("sm_90", ptx + "90a, debug\n").empty());
  CHECK(reason_not_for("sm_90", ptx + "100a\n") == "it is for sm_100a, and the GPU is sm_90");
  CHECK(reason_not_for("sm_80", ptx + "90\n") == "it is for sm_90, and the GPU is sm_80");
  CHECK(reason_not_for("sm_100", ptx + "90a\n") == "it is for sm_90a, and the GPU is sm_100");
  CHECK(reason_not_for("sm_103", ptx + "100f\n").empty());
  CHECK(reason_not_for("sm_120", ptx + "100f\n") == "it is for sm_100f, and the GPU is sm_120");
  CHECK(reason_not_for("host-x86-64", ptx + "100a\n").empty());
  std::string cubin(64, '\0');
  cubin.replace(0, 4,
                "\x7f"
                "ELF");
  cubin[8] = 8;    // EI_ABIVERSION since CUDA 13
  cubin[49] = 90;  // e_flags, second byte
  CHECK(reason_not_for("sm_90", cubin).empty());
  CHECK(reason_not_for("sm_80", cubin) == "it is for sm_90, and the GPU is sm_80");
  CHECK(reason_not_for("sm_100", cubin) == "it is for sm_90, and the GPU is sm_100");
}

}  // namespace
}  // namespace kernelbatch
