#include "pages/cpu_profiler.h"

#include <dlfcn.h>

#include <optional>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/io/memory_file.h"

namespace capstan::manager {
namespace {

constexpr char kLibrary[] = "libprofiler.so.0";
constexpr char kPackage[] = "libgoogle-perftools4";

/// The functions used from gperftools/profiler.h.
struct ProfilerLibrary {
  int (*start)(const char* file) = nullptr;
  void (*stop)() = nullptr;
};

template <class Function>
void LookUp(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// The library is never unloaded, since it has installed a signal handler.
Result<ProfilerLibrary> LoadLibrary() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return Status(StatusReason::kNotFound,
                  Format("a CPU profile needs {} from Debian's package {}: {}", kLibrary, kPackage,
                         dlerror()));
  }
  ProfilerLibrary functions;
  LookUp(library, "ProfilerStart", functions.start);
  LookUp(library, "ProfilerStop", functions.stop);
  if (functions.start && functions.stop) return functions;
  return Status(StatusReason::kNotFound, Format("{} does not come from gperftools", kLibrary));
}

class LibProfiler final : public CpuProfiler {
 public:
  Status Start() override {
    if (!library_) {
      auto library = LoadLibrary();
      if (!library) return library.status();
      library_ = *library;
    }
    auto file = io::MemoryFile::New("cpu-profile");
    if (!file) return file.status();
    if (library_->start(file->path().c_str()) == 0) {
      return {StatusReason::kInternalError,
              "the profiler did not start; another one may be running in this process"};
    }
    file_.emplace(*std::move(file));
    return Status::Ok();
  }

  Result<std::string> Stop() override {
    library_->stop();
    auto profile = file_->Read();
    file_.reset();
    return profile;
  }

 private:
  std::optional<ProfilerLibrary> library_;
  std::optional<io::MemoryFile> file_;
};

}  // namespace

std::unique_ptr<CpuProfiler> NewCpuProfiler() { return std::make_unique<LibProfiler>(); }

}  // namespace capstan::manager
