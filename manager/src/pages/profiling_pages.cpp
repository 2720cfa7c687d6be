#include "pages/profiling_pages.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/contention.h>
#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "pages/heap_profile.h"

namespace capstan::manager {
namespace {

constexpr int kDefaultSeconds = 30;
constexpr int kMostSeconds = 300;

http::ServerResponse Refused(int status, std::string why) {
  return {.status = status, .body = std::move(why) + "\n"};
}

http::ServerResponse ProfileFailed(const Status& status) {
  return Refused(status.IsNotFound() ? 501 : 500, status.message());
}

http::ServerResponse Download(std::string content_type, std::string body, const char* name) {
  return {.content_type = std::move(content_type),
          .body = std::move(body),
          .headers = {{"Content-Disposition", Format("attachment; filename=\"{}\"", name)}}};
}

std::optional<int> SecondsOf(const http::ServerRequest& request) {
  if (!request.Has("seconds")) return kDefaultSeconds;
  const std::string text = request.Get("seconds");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || seconds < 1 || seconds > kMostSeconds) return std::nullopt;
  return seconds;
}

class CpuProfilePage {
 public:
  CpuProfilePage(Runtime& runtime, std::stop_token stop, std::unique_ptr<CpuProfiler> profiler)
      : runtime_(runtime), stop_(std::move(stop)), profiler_(std::move(profiler)) {}

  http::ServerResponse Serve(const http::ServerRequest& request) {
    const std::optional<int> seconds = SecondsOf(request);
    if (!seconds) return Refused(400, Format("seconds: must be a number, 1 to {}", kMostSeconds));
    const Turn turn(in_use_);
    if (!turn.granted) {
      return Refused(429, "cpu profiling already in use; only one profile can be taken at a time");
    }
    return Take(std::chrono::seconds(*seconds));
  }

 private:
  struct Turn {
    explicit Turn(std::atomic<bool>& flag) : in_use(flag), granted(!flag.exchange(true)) {}
    ~Turn() {
      if (granted) in_use = false;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    std::atomic<bool>& in_use;
    const bool granted;
  };

  http::ServerResponse Take(Duration duration) {
    if (const Status started = profiler_->Start(); !started.ok()) return ProfileFailed(started);
    LogInfo("Taking a CPU profile", {{"seconds", duration / std::chrono::seconds(1)}});
    (void)runtime_.SleepFor(duration, stop_);
    auto profile = profiler_->Stop();
    if (!profile) return ProfileFailed(profile.status());
    return Download("application/octet-stream", *std::move(profile), "profile");
  }

  Runtime& runtime_;
  const std::stop_token stop_;
  const std::unique_ptr<CpuProfiler> profiler_;
  std::atomic<bool> in_use_ = false;
};

http::ServerResponse ServeHeap(const http::ServerRequest&) {
  auto profile = TakeHeapProfile();
  if (!profile) return ProfileFailed(profile.status());
  return Download(std::move(profile->content_type), std::move(profile->text), "heap");
}

http::ServerResponse ServeBlock(const http::ServerRequest&) {
  if (IsContentionProfiled()) return {.body = ContentionProfile()};
  return Refused(501, "lock contention is recorded only with --contention-profiling");
}

http::ServerResponse ServeMutex(const http::ServerRequest&) {
  return Refused(501,
                 "holders of contended locks are not recorded; /debug/pprof/block with "
                 "--contention-profiling shows the waiters");
}

http::ServerResponse ServeCommandLine(const http::ServerRequest&) {
  const auto content = io::ReadWholeFile("/proc/self/cmdline");
  std::string text = content ? *content : "";
  if (text.ends_with('\0')) text.pop_back();
  return {.body = std::move(text)};
}

/// Returns the function at `address`, or "". Only symbols exported by a library have a name here.
std::string SymbolAt(uintptr_t address) {
  Dl_info info{};
  // The address is a number in the request. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || !info.dli_sname) return "";
  char* const readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr);
  std::string name = readable ? readable : info.dli_sname;
  std::free(readable);
  return name;
}

/// The body is "0x1234+0x5678". It is empty if pprof only asks whether symbols are available.
http::ServerResponse ServeSymbols(const http::ServerRequest& request) {
  std::string text = "num_symbols: 1\n";
  std::string_view rest = request.body;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('+'), rest.size());
    std::string_view number = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (number.starts_with("0x")) number.remove_prefix(2);
    uintptr_t address = 0;
    const auto [stop, error] =
        std::from_chars(number.data(), number.data() + number.size(), address, 16);
    if (error != std::errc() || stop == number.data()) continue;
    const std::string name = SymbolAt(address);
    if (!name.empty()) text += Format("{:#x} {}\n", address, name);
  }
  return {.body = std::move(text)};
}

http::ServerResponse ServeIndex(const http::ServerRequest& request) {
  if (request.path != "/debug/pprof/") return Refused(404, "unknown profile");
  return {.body =
              "/debug/pprof/profile?seconds=30  CPU profile, for pprof\n"
              "/debug/pprof/heap                heap\n"
              "/debug/pprof/block               lock contention, with --contention-profiling\n"
              "/debug/pprof/cmdline             the command line\n"
              "/debug/pprof/symbol              names of addresses, for pprof\n"};
}

}  // namespace

void AddProfilingPages(http::Mux& mux, Runtime& runtime, const std::stop_token& stop,
                       std::unique_ptr<CpuProfiler> profiler) {
  const auto cpu = std::make_shared<CpuProfilePage>(runtime, stop, std::move(profiler));
  mux.Handle("/debug/pprof/", ServeIndex);
  mux.Handle("/debug/pprof/profile",
             [cpu](const http::ServerRequest& request) { return cpu->Serve(request); });
  mux.Handle("/debug/pprof/heap", ServeHeap);
  mux.Handle("/debug/pprof/block", ServeBlock);
  mux.Handle("/debug/pprof/mutex", ServeMutex);
  mux.Handle("/debug/pprof/cmdline", ServeCommandLine);
  mux.Handle("/debug/pprof/symbol", ServeSymbols);
  mux.Handle("POST", "/debug/pprof/symbol", ServeSymbols);
}

}  // namespace capstan::manager
