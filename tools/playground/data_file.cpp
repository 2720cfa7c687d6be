#include "playground/data_file.h"

#include <utility>

#include <capstan/log/log.h>

#include "base/io/atomic_file.h"
#include "base/io/whole_file.h"

namespace capstan::playground {
namespace {

constexpr size_t kMostSaved = size_t{4} << 30;

}  // namespace

Result<std::unique_ptr<DataFile>> DataFile::Open(std::string path, testing::ApiServer& server,
                                                 Runtime& runtime) {
  auto content = io::ReadFileIfAny(path, kMostSaved);
  if (!content) return content.status();
  std::unique_ptr<DataFile> file(new DataFile(std::move(path), server, runtime));
  if (*content) {
    if (Status status = server.Restore(**content); !status.ok()) {
      return Status::InvalidArgument(file->path_ +
                                     ": not a file saved by a playground: " + status.message());
    }
    const MutexLock lock(file->mutex_);
    file->saved_version_ = server.ResourceVersion();
  }
  return file;
}

DataFile::~DataFile() {
  stop_.request_stop();
  if (thread_) thread_->Join();
}

void DataFile::KeepSaving() {
  thread_ = runtime_.Start("data-file", [this] {
    while (runtime_.SleepFor(std::chrono::seconds(1), stop_.get_token())) {
      if (Status status = SaveNow(); !status.ok()) LogError(status, "Saving the objects failed");
    }
  });
}

Status DataFile::SaveNow() {
  const int64_t version = server_.ResourceVersion();
  {
    const MutexLock lock(mutex_);
    if (version == saved_version_) return Status::Ok();
  }
  Status status = io::WriteFileAtomically(path_, server_.Save(), 0600);
  if (!status.ok()) return status;
  const MutexLock lock(mutex_);
  saved_version_ = version;
  return status;
}

}  // namespace capstan::playground
