#pragma once

/// DataFile: keeps what a server holds in a file, across runs.

#include <memory>
#include <stop_token>
#include <string>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>
#include <capstan/testing/api_server.h>

namespace capstan::playground {

class DataFile {
 public:
  /// Loads `path` into `server` when there is such a file. The error names it, and the file is left
  /// as it is.
  static Result<std::unique_ptr<DataFile>> Open(std::string path, testing::ApiServer& server,
                                                Runtime& runtime);
  /// Stops saving, without a last save.
  ~DataFile();

  /// From now on changes are saved, at most once a second.
  void KeepSaving();
  /// Saves what has changed since the last time.
  Status SaveNow();

 private:
  DataFile(std::string path, testing::ApiServer& server, Runtime& runtime)
      : path_(std::move(path)), server_(server), runtime_(runtime) {}

  const std::string path_;
  testing::ApiServer& server_;
  Runtime& runtime_;
  Mutex mutex_;
  int64_t saved_version_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::playground
