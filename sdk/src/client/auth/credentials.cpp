#include "client/auth/credentials.h"

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/io/file_stamp.h"
#include "base/io/whole_file.h"
#include "base/text/base64.h"
#include "client/auth/exec_credential.h"

namespace capstan::client {
namespace {

bool IsPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

class FixedCredentials final : public Credentials {
 public:
  explicit FixedCredentials(std::string authorization) {
    credential_.authorization = std::move(authorization);
  }
  Result<Credential> Get(const RequestScope&) override { return credential_; }
  Result<Credential> Refresh(const Credential&, const RequestScope&) override {
    return credential_;
  }

 private:
  Credential credential_;
};

// A token file that is renewed on disk, as the kubelet does for service accounts. If the file
// cannot be read, the former token is kept.
class FileCredentials final : public Credentials {
 public:
  FileCredentials(std::string path, const Clock& clock) : path_(std::move(path)), clock_(clock) {}

  Status Load() {
    const io::FileStamp stamp = io::StampOf(path_);
    Result<std::string> token = io::ReadWholeFile(path_);
    if (!token) return token.status();
    while (!token->empty() && static_cast<unsigned char>(token->back()) <= ' ') token->pop_back();
    token->erase(0, token->find_first_not_of(" \t\r\n"));
    if (token->empty()) return Status::InvalidArgument(Format("{} contains no token", path_));
    if (!IsPrintable(*token)) {
      return Status::InvalidArgument(Format("{} contains more than one line", path_));
    }
    MutexLock lock(mutex_);
    credential_.authorization = "Bearer " + *token;
    stamp_ = stamp;
    next_check_ = clock_.Monotonic() + io::kFileCheckPeriod;
    return Status::Ok();
  }

  Result<Credential> Get(const RequestScope&) override {
    io::FileStamp known;
    {
      MutexLock lock(mutex_);
      const MonotonicTime now = clock_.Monotonic();
      if (now < next_check_) return credential_;
      next_check_ = now + io::kFileCheckPeriod;
      known = stamp_;
    }
    if (io::StampOf(path_) != known) LoadOrKeep();
    MutexLock lock(mutex_);
    return credential_;
  }

  Result<Credential> Refresh(const Credential& refused, const RequestScope&) override {
    {
      MutexLock lock(mutex_);
      if (credential_ != refused) return credential_;
    }
    LoadOrKeep();
    MutexLock lock(mutex_);
    return credential_;
  }

 private:
  void LoadOrKeep() {
    const Status status = Load();
    if (!status.ok()) LogError(status, "Cannot renew the bearer token, using the previous one");
  }

  const std::string path_;
  const Clock& clock_;
  Mutex mutex_;
  Credential credential_ CAPSTAN_GUARDED_BY(mutex_);
  io::FileStamp stamp_ CAPSTAN_GUARDED_BY(mutex_);
  MonotonicTime next_check_ CAPSTAN_GUARDED_BY(mutex_);
};

Status CheckCombination(const RestConfig& config) {
  const bool basic = !config.username.empty() || !config.password.empty();
  const bool token = !config.bearer_token.empty() || !config.bearer_token_file.empty();
  if (basic && token) {
    return Status::InvalidArgument("a username and a bearer token are mutually exclusive");
  }
  if (config.exec && (basic || token)) {
    return Status::InvalidArgument(
        "an exec plugin cannot be combined with a bearer token or a username and password");
  }
  if (!IsPrintable(config.bearer_token)) {
    return Status::InvalidArgument("the bearer token has a line break or control character");
  }
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<Credentials>> NewCredentials(const RestConfig& config, Runtime& runtime) {
  if (Status status = CheckCombination(config); !status.ok()) return status;
  if (config.exec) return NewExecCredentials(config, runtime);
  if (!config.bearer_token_file.empty()) {
    auto credentials = std::make_unique<FileCredentials>(config.bearer_token_file, runtime.clock());
    Status status = credentials->Load();
    if (!status.ok()) return status.WithContext("bearer token");
    return std::unique_ptr<Credentials>(std::move(credentials));
  }
  std::string authorization;
  if (!config.bearer_token.empty()) {
    authorization = "Bearer " + config.bearer_token;
  } else if (!config.username.empty() || !config.password.empty()) {
    authorization = "Basic " + text::EncodeBase64(config.username + ":" + config.password);
  }
  return std::unique_ptr<Credentials>(std::make_unique<FixedCredentials>(std::move(authorization)));
}

}  // namespace capstan::client
