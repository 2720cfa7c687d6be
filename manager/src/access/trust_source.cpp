#include "access/trust_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"

namespace capstan::manager {
namespace {

const NamespacedName kTrustConfigMap{"kube-system", "extension-apiserver-authentication"};

Result<std::string> ReadBundle(const std::string& path) {
  constexpr size_t kMost = size_t{4} << 20;
  auto text = io::ReadWholeFile(path);
  if (!text) return Status::InvalidArgument("cannot be read");
  if (text->size() > kMost) return Status::InvalidArgument("too large");
  return text;
}

/// Reads the JSON list of strings in `key`. `names` is empty if there is no such key.
Status ReadNames(const TrustConfigMap& config_map, std::string_view key,
                 std::vector<std::string>& names) {
  names.clear();
  const std::string* const text = config_map.data.Find(key);
  if (!text) return Status::Ok();
  const auto list = RawJson::Parse(*text);
  if (!list || !list->text().starts_with('[')) {
    return Status::Malformed(Format("{}: not a JSON list", key));
  }
  for (size_t i = 0;; ++i) {
    const RawJson element = list->At("/" + std::to_string(i));
    if (element.empty()) return Status::Ok();
    const auto name = element.StringAt("");
    if (!name) return Status::Malformed(Format("{}: an element is not a string", key));
    names.push_back(*name);
  }
}

Status ReadAuthority(const TrustConfigMap& config_map, std::string_view key,
                     std::shared_ptr<const ClientCa>& ca) {
  const std::string* const pem = config_map.data.Find(key);
  if (!pem) {
    ca = nullptr;
    return Status::Ok();
  }
  auto parsed = ClientCa::Parse(*pem);
  if (!parsed) return parsed.status().WithContext(key);
  ca = *std::move(parsed);
  return Status::Ok();
}

Status ReadRequestHeader(const TrustConfigMap& config_map, RequestHeaderConfig& config) {
  for (const auto& [key, names] :
       {std::pair{"requestheader-allowed-names", &config.allowed_names},
        std::pair{"requestheader-username-headers", &config.username_headers},
        std::pair{"requestheader-uid-headers", &config.uid_headers},
        std::pair{"requestheader-group-headers", &config.group_headers},
        std::pair{"requestheader-extra-headers-prefix", &config.extra_headers_prefixes}}) {
    if (Status status = ReadNames(config_map, key, *names); !status.ok()) return status;
  }
  return ReadAuthority(config_map, "requestheader-client-ca-file", config.ca);
}

/// An empty prefix would match every header.
void DropEmptyNames(RequestHeaderConfig& config) {
  for (auto* names : {&config.username_headers, &config.uid_headers, &config.group_headers,
                      &config.extra_headers_prefixes}) {
    std::erase_if(*names, [](const std::string& name) { return name.empty(); });
  }
}

}  // namespace

TrustSource::TrustSource(const AuthenticationOptions& options, ReviewClient* client,
                         Runtime& runtime)
    : options_(options),
      client_(client),
      runtime_(runtime),
      client_ca_file_{"--client-ca-file", options.client_ca_file, std::nullopt},
      request_header_ca_file_{"--requestheader-client-ca-file",
                              options.requestheader_client_ca_file, std::nullopt} {
  next_.request_header = {.ca = nullptr,
                          .allowed_names = options.requestheader_allowed_names,
                          .username_headers = options.requestheader_username_headers,
                          .uid_headers = options.requestheader_uid_headers,
                          .group_headers = options.requestheader_group_headers,
                          .extra_headers_prefixes = options.requestheader_extra_headers_prefix};
  DropEmptyNames(next_.request_header);
  Publish();
}

TrustSource::~TrustSource() { Stop(); }

bool TrustSource::LooksUp() const {
  return client_ && !options_.skip_lookup &&
         (client_ca_file_.path.empty() || request_header_ca_file_.path.empty());
}

bool TrustSource::ReadsFiles() const {
  return !client_ca_file_.path.empty() || !request_header_ca_file_.path.empty();
}

Status TrustSource::Start() {
  if (Status status = ReadFiles(); !status.ok()) return status;
  if (LooksUp() && !options_.tolerate_lookup_failure) {
    if (Status status = LookUp(); !status.ok()) return status;
  }
  Publish();
  if (!LooksUp() && !ReadsFiles()) return Status::Ok();
  thread_ = runtime_.Start("trust", [this] { Run(stop_.get_token()); });
  return Status::Ok();
}

void TrustSource::Stop() {
  stop_.request_stop();
  if (thread_) thread_->Join();
}

std::shared_ptr<const Trust> TrustSource::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

void TrustSource::Run(const std::stop_token& stop) {
  MonotonicTime lookup_due = runtime_.Now() + (lookup_succeeded_ ? kLookupPeriod : Duration());
  do {
    ReportFiles(ReadFiles());
    if (LooksUp() && runtime_.Now() >= lookup_due) {
      ReportLookup(LookUp());
      lookup_due = runtime_.Now() + (lookup_succeeded_ ? kLookupPeriod : kShortPeriod);
    }
    Publish();
    // Files are read each time; without files, there is nothing to do before the next lookup.
  } while (runtime_.SleepFor(
      ReadsFiles() ? kShortPeriod : std::max(lookup_due - runtime_.Now(), Duration()), stop));
}

Status TrustSource::ReadFile(File& file, std::shared_ptr<const ClientCa>& ca) {
  if (file.path.empty()) return Status::Ok();
  const std::string context = file.flag + " " + file.path;
  auto text = ReadBundle(file.path);
  if (!text) return text.status().WithContext(context);
  if (*text == file.text) return Status::Ok();
  auto parsed = ClientCa::Parse(*text);
  if (!parsed) return parsed.status().WithContext(context);
  if (ca) LogInfo("Reloaded the certificate authorities", {{"file", file.path}});
  ca = *std::move(parsed);
  file.text = *std::move(text);
  return Status::Ok();
}

Status TrustSource::ReadFiles() {
  const Status clients = ReadFile(client_ca_file_, next_.client_ca);
  const Status proxies = ReadFile(request_header_ca_file_, next_.request_header.ca);
  return clients.ok() ? proxies : clients;
}

Status TrustSource::LookUp() {
  const auto config_map = client_->Get<TrustConfigMap>(kTrustConfigMap);
  const Status status = config_map ? Take(**config_map) : config_map.status();
  if (status.ok()) lookup_succeeded_ = true;
  return status.WithContext("ConfigMap " + kTrustConfigMap.ToString());
}

/// Takes all of the ConfigMap or nothing: a list of names that does not decode must not count as
/// empty.
Status TrustSource::Take(const TrustConfigMap& config_map) {
  Trust found = next_;
  if (client_ca_file_.path.empty()) {
    Status status = ReadAuthority(config_map, "client-ca-file", found.client_ca);
    if (!status.ok()) return status;
  }
  if (request_header_ca_file_.path.empty()) {
    Status status = ReadRequestHeader(config_map, found.request_header);
    if (!status.ok()) return status;
    DropEmptyNames(found.request_header);
  }
  next_ = std::move(found);
  return Status::Ok();
}

void TrustSource::Publish() {
  auto trust = std::make_shared<Trust>(next_);
  const RequestHeaderConfig& header = trust->request_header;
  const bool overlap = header.ca && header.allowed_names.empty() && trust->client_ca &&
                       header.ca->Overlaps(*trust->client_ca);
  if (overlap && !overlap_logged_) {
    LogWarning(
        "Ignoring user headers: proxies and clients share a certificate authority, and "
        "--requestheader-allowed-names is empty");
  }
  overlap_logged_ = overlap;
  if (overlap) trust->request_header.ca = nullptr;
  MutexLock lock(mutex_);
  current_ = std::move(trust);
}

// Both functions log only changes.

void TrustSource::ReportFiles(const Status& status) {
  const bool known = status.message() == files_reported_.message();
  files_reported_ = status;
  if (!known && !status.ok()) {
    LogError(status, "Cannot read the authorities of client certificates, keeping the known ones");
  }
}

void TrustSource::ReportLookup(const Status& status) {
  if (stop_.stop_requested()) return;
  const bool known = status.reason() == lookup_reported_.reason();
  lookup_reported_ = status;
  if (known) return;
  if (status.ok()) {
    LogInfo("Read the authorities of client certificates",
            {{"configMap", kTrustConfigMap.ToString()}});
  } else if (lookup_succeeded_) {
    LogWarning("Cannot read the authorities of client certificates, keeping the known ones",
               {{"err", status}});
  } else {
    LogWarning(
        "Cannot read the authorities of client certificates, so only tokens authenticate; the "
        "Role extension-apiserver-authentication-reader in kube-system grants the access",
        {{"err", status}});
  }
}

}  // namespace capstan::manager
