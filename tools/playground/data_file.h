#pragma once

/// DataFile: stores the objects of an API server in a file, across runs.

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
  /// Loads `path` into `server` if the file exists. On an error, which names the file, the file
  /// stays unchanged.
  static Result<std::unique_ptr<DataFile>> Open(std::string path, testing::ApiServer& server,
                                                Runtime& runtime);
  /// Stops saving. It does not save a last time.
  ~DataFile();

  /// Starts to save changes in the background, at most once per second.
  void KeepSaving();
  /// Saves the changes since the last save.
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
