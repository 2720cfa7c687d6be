// capstan-demo: shows a rollout that survives its leader. `--serve` leaves everything running.

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/mutex.h>

#include "base/cli/flag_set.h"
#include "base/cli/shutdown_signals.h"
#include "demo/demo.h"

namespace capstan::demo {
namespace {

struct CommandLine {
  DemoOptions demo;
  std::string directory;
  int secure_port = 0;
  bool serve = false;
  bool help = false;
};

cli::FlagSet FlagsOf(CommandLine& line) {
  cli::FlagSet flags;
  flags.AddBool("serve", &line.serve,
                "Leave the playground and the managers running until SIGINT or SIGTERM.");
  flags.AddString("sample", &line.demo.sample, "The Deployment to apply, a YAML file.");
  flags.AddString("image", &line.demo.new_image, "The image that is rolled out second.");
  flags.AddString("directory", &line.directory,
                  "Directory for logs and the kubeconfig; it is kept. Without it a temporary one, "
                  "removed at the end unless something failed.");
  flags.AddInt("secure-port", &line.secure_port, "The playground's port; 0: any free port.");
  flags.AddBool("help", &line.help, "Show this text.");
  flags.AlsoAs('h');
  return flags;
}

// Log lines of the client libraries go to a file beside the other logs, so that they do not disturb
// the screen.
class LogFile : public LogSink {
 public:
  explicit LogFile(const std::string& path) : file_(path) { SetLogSink(this); }
  ~LogFile() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override {
    MutexLock lock(mutex_);
    file_ << line << '\n' << std::flush;
  }

 private:
  Mutex mutex_;
  std::ofstream file_ CAPSTAN_GUARDED_BY(mutex_);
};

int Fail(const Status& status) {
  std::fprintf(stderr, "capstan-demo: %s\n", status.message().c_str());
  return 1;
}

Result<std::string> NewDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "capstan-demo-XXXXXX").string();
  if (mkdtemp(name.data())) return name;
  return Status::InvalidArgument("cannot create the directory " + name);
}

int Run(CommandLine line, const std::stop_token& stop) {
  const bool temporary = line.directory.empty();
  if (temporary) {
    auto directory = NewDirectory();
    if (!directory) return Fail(directory.status());
    line.directory = *directory;
  }
  std::error_code error;
  std::filesystem::create_directories(line.directory, error);
  if (error) return Fail(Status::InvalidArgument(line.directory + ": " + error.message()));
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);

  LogFile log(line.directory + "/demo.log");
  Stage stage({.bin_directory = self.parent_path().string(),
               .directory = line.directory,
               .managers = 3,
               .secure_port = line.secure_port});
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  Screen screen(terminal, SystemRuntime().Now());
  const auto run = line.serve ? RunPlayground : RunDemo;
  const Status status = run(line.demo, stage, screen, stop);
  stage.Stop();
  const bool stopped = stop.stop_requested();
  if (!status.ok() && !stopped) {
    std::fprintf(stderr, "The logs are in %s\n", line.directory.c_str());
    return Fail(status);
  }
  if (temporary) std::filesystem::remove_all(line.directory, error);
  return stopped && !line.serve ? 130 : 0;
}

}  // namespace
}  // namespace capstan::demo

int main(int argc, char** argv) {
  const capstan::cli::ShutdownSignals signals(capstan::SystemRuntime());
  capstan::demo::CommandLine line;
  capstan::cli::FlagSet flags = capstan::demo::FlagsOf(line);
  const capstan::Status status = flags.Parse({argv + (argc > 0), argv + argc});
  if (!status.ok()) return capstan::demo::Fail(status);
  if (line.help) {
    std::printf("usage: capstan-demo [flags]\n%s",
                flags.Help(capstan::cli::TerminalWidth()).c_str());
    return 0;
  }
  return capstan::demo::Run(std::move(line), signals.token());
}
