#pragma once

#include <string>
#include <vector>

#include "api_server.h"
#include "process.h"

namespace capstan::e2e {

// One running capstan-controller-manager. It finds the plugins by itself, as when it is installed.
class Manager {
 public:
  struct Options {
    std::string name = "manager";   // of the log file
    std::string lease = "capstan";  // in kube-system
    Seconds lease_duration{5};
    Seconds renew_deadline{3};
    Milliseconds retry_period{500};
    std::vector<std::string> more_flags;
  };

  Manager(const ApiServer& server, const Options& options);

  bool IsRunning() { return process_.IsRunning(); }
  // SIGKILL: no draining, no release.
  void Kill();
  // SIGTERM; the exit code. Throws when it does not end.
  int Terminate();
  // Wait until it says so in its log. Throw when it ends before, or does not say it in time.
  void WaitForLog(const std::string& text, Milliseconds timeout = Seconds(30));
  void WaitUntilLeading() { WaitForLog("Successfully acquired lease"); }
  bool HasLogged(const std::string& text) const;
  std::string LogTail(size_t lines = 40) const { return process_.LogTail(lines); }

 private:
  Process process_;
};

}  // namespace capstan::e2e
