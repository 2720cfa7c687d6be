// CertificateSigningRequests.

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/codec/base64_text.h"
#include "apiserver/storage/object_fields.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"
#include "base/text/base64.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kDecisions[] = {"Approved", "Denied"};
constexpr std::string_view kLasting[] = {"Approved", "Denied", "Failed"};
constexpr int64_t kShortestLife = 600;  // seconds
constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client";
constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";

const std::vector<std::string>& KeyUsages() {
  static const std::vector<std::string> usages = {"any",
                                                  "cert sign",
                                                  "client auth",
                                                  "code signing",
                                                  "content commitment",
                                                  "crl sign",
                                                  "data encipherment",
                                                  "decipher only",
                                                  "digital signature",
                                                  "email protection",
                                                  "encipher only",
                                                  "ipsec end system",
                                                  "ipsec tunnel",
                                                  "ipsec user",
                                                  "key agreement",
                                                  "key encipherment",
                                                  "microsoft sgc",
                                                  "netscape sgc",
                                                  "ocsp signing",
                                                  "s/mime",
                                                  "server auth",
                                                  "signing",
                                                  "timestamping"};
  return usages;
}

template <class T, void (*Free)(T*)>
struct Freeing {
  void operator()(T* object) const { Free(object); }
};
using RequestPtr = std::unique_ptr<X509_REQ, Freeing<X509_REQ, X509_REQ_free>>;
using CertificatePtr = std::unique_ptr<X509, Freeing<X509, X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freeing<BIO, BIO_free_all>>;

BioPtr Reading(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

RequestPtr ReadRequest(const std::string& pem) {
  const BioPtr bio = Reading(pem);
  return RequestPtr(PEM_read_bio_X509_REQ(bio.get(), nullptr, nullptr, nullptr));
}

bool HasOrganization(const X509_REQ& request, std::string_view wanted) {
  const X509_NAME* subject = X509_REQ_get_subject_name(&request);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0;) {
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    const auto* start = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
    if (std::string_view(start, static_cast<size_t>(ASN1_STRING_length(text))) == wanted) {
      return true;
    }
  }
  return false;
}

// Returns what is wrong with a PEM request, or "".
std::string FaultOfRequest(const std::string& pem) {
  if (pem.find("-----BEGIN CERTIFICATE REQUEST-----") == std::string::npos) {
    return "PEM block type must be CERTIFICATE REQUEST";
  }
  const RequestPtr request = ReadRequest(pem);
  if (!request) return "asn1: structure error: not a certificate request";
  const bool verified = X509_REQ_verify(request.get(), X509_REQ_get0_pubkey(request.get())) == 1;
  return verified ? "" : "x509: invalid signature";
}

std::string FaultOfCertificate(const std::string& pem) {
  const BioPtr bio = Reading(pem);
  int count = 0;
  while (true) {
    const CertificatePtr one(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    ++count;
  }
  return count > 0 ? "" : "must contain at least one CERTIFICATE PEM block";
}

void ValidateSignerLabels(std::string_view part, bool domain, const FieldPath& path,
                          FieldErrors& errors) {
  std::string_view rest = part;
  while (true) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    const Faults faults = domain ? FaultsOfDnsLabel(label) : FaultsOfDnsSubdomain(label);
    for (const std::string& fault : faults) {
      errors.Invalid(path.Text(), part, "validating label " + Quoted(label) + ": " + fault);
    }
    if (!faults.empty() || label.size() == rest.size()) return;
    rest.remove_prefix(label.size() + 1);
  }
}

void ValidateSignerName(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.Required(path.Text());
    return;
  }
  if (std::count(name.begin(), name.end(), '/') != 1) {
    errors.Invalid(path.Text(), name,
                   "must be a fully qualified domain and path of the form "
                   "'example.com/signer-name'");
    return;
  }
  const std::string_view text = name;
  const std::string_view domain = text.substr(0, text.find('/'));
  ValidateSignerLabels(domain, true, path, errors);
  if (domain.find('.') == std::string_view::npos) {
    errors.Invalid(path.Text(), domain,
                   "should be a domain with at least two segments separated by dots");
  }
  ValidateSignerLabels(text.substr(domain.size() + 1), false, path, errors);
}

std::vector<json::Value> ConditionsOf(const json::Value& request, std::string_view type) {
  std::vector<json::Value> found;
  for (const json::Value& condition : request.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type) found.push_back(condition);
  }
  return found;
}

void ValidateConditions(const json::Value& request, FieldErrors& errors) {
  const FieldPath path("status.conditions");
  const auto& conditions = request.Get("status", "conditions").items();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& type = conditions[i].Get("type").AsString();
    const json::Value& status = conditions[i].Get("status");
    if (type.empty()) errors.Required(at.At("type"));
    const bool lasts =
        std::find(std::begin(kLasting), std::end(kLasting), type) != std::end(kLasting);
    if (status.IsEmpty()) {
      errors.Required(at.At("status"));
    } else if (lasts && status.AsString() != "True") {
      errors.NotSupported(at.At("status"), status, {"True"});
    } else if (status.AsString() != "True" && status.AsString() != "False" &&
               status.AsString() != "Unknown") {
      errors.NotSupported(at.At("status"), status, {"False", "True", "Unknown"});
    }
    if ((type == "Approved" && seen.contains("Denied")) ||
        (type == "Denied" && seen.contains("Approved"))) {
      errors.Invalid(path.Text(), type, "Approved and Denied conditions are mutually exclusive");
    }
    if (!seen.insert(type).second) errors.Duplicate(at.At("type"), type);
  }
}

class CertificateRequests : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void PrepareForCreate(json::Value& object) const override {
    object.Set("status", json::Value::Object());
  }
  void RecordUser(json::Value& object, const std::string& name, const std::string& uid,
                  const std::vector<std::string>& groups) const override;
  void Stamp(json::Value& object, const json::Value& before, std::string_view subresource,
             WallTime now) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;
  // Any name is valid.
  void ValidateName(std::string_view /*name*/, std::string_view /*field*/,
                    FieldErrors& /*errors*/) const override {}
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::string Admit(const json::Value& object, const json::Value& before,
                    std::string_view subresource) const override;
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "metadata.namespace") return std::nullopt;
    if (field == "spec.signerName") return object.Get("spec", "signerName").AsString();
    return Strategy::SelectableField(object, field);
  }
};

void CertificateRequests::RecordUser(json::Value& object, const std::string& name,
                                     const std::string& uid,
                                     const std::vector<std::string>& groups) const {
  json::Value& spec = object.Mutable("spec");
  for (const std::string_view field : {"username", "uid", "groups", "extra"}) spec.Erase(field);
  if (!name.empty()) spec.Set("username", name);
  if (!uid.empty()) spec.Set("uid", uid);
  if (!groups.empty()) spec.Set("groups", ArrayOf(groups));
}

// Sets missing times of conditions.
void CertificateRequests::Stamp(json::Value& object, const json::Value& before,
                                std::string_view subresource, WallTime now) const {
  if (subresource.empty() || object.Get("status", "conditions").items().empty()) return;
  const std::string text = TimeText(now);
  for (json::Value& condition : object.Mutable("status", "conditions").MutableItems()) {
    SetIfAbsent(condition, "lastUpdateTime", text);
    if (Has(condition, "lastTransitionTime")) continue;
    condition.Set("lastTransitionTime", text);
    for (const json::Value& old : ConditionsOf(before, condition.Get("type").AsString())) {
      if (old.Get("status") != condition.Get("status") || !Has(old, "lastTransitionTime")) continue;
      condition.Set("lastTransitionTime", old.Get("lastTransitionTime"));
      break;
    }
  }
}

void KeepMember(json::Value& object, const json::Value& before, std::string_view field) {
  if (const json::Value* old = before.Find(field)) {
    object.Set(field, *old);
  } else {
    object.Erase(field);
  }
}

void CertificateRequests::PrepareForUpdate(json::Value& object, const json::Value& before,
                                           std::string_view subresource) const {
  KeepGeneration(object, before);
  KeepMember(object, before, "spec");
  if (subresource.empty()) {
    KeepMember(object, before, "status");
  } else if (subresource == "approval") {
    const json::Value conditions = object.Get("status", "conditions");
    KeepMember(object, before, "status");
    if (!conditions.IsEmpty()) {
      object.Mutable("status", "conditions") = conditions;
    } else if (object.Get("status").IsObject()) {
      object.Mutable("status").Erase("conditions");
    }
  } else {
    // Restores the existing decisions. Validation rejects additions and removals later.
    for (const std::string_view type : kDecisions) {
      const std::vector<json::Value> old = ConditionsOf(before, type);
      if (old.size() != ConditionsOf(object, type).size() || old.empty()) continue;
      size_t next = 0;
      for (json::Value& condition : object.Mutable("status", "conditions").MutableItems()) {
        if (condition.Get("type").AsString() == type) condition = old[next++];
      }
    }
  }
}

void CertificateRequests::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const json::Value& request = spec.Get("request");
  const std::string fault = FaultOfRequest(text::DecodeBase64(request.AsString()).value_or(""));
  if (!fault.empty()) errors.Invalid(path.At("request"), request, fault);
  const auto& usages = spec.Get("usages").items();
  const FieldPath usages_path = path.Child("usages");
  if (usages.empty()) errors.Required(usages_path.Text());
  const std::vector<std::string>& known = KeyUsages();
  for (size_t i = 0; i < usages.size(); ++i) {
    const FieldPath at = usages_path.Index(i);
    if (std::find(known.begin(), known.end(), usages[i].AsString()) == known.end()) {
      errors.NotSupported(at.Text(), usages[i], known);
    }
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < usages.size(); ++i) {
    const FieldPath at = usages_path.Index(i);
    if (!seen.insert(usages[i].AsString()).second) errors.Duplicate(at.Text(), usages[i]);
  }
  const std::string& signer = spec.Get("signerName").AsString();
  if (signer == kLegacySigner) {
    errors.Invalid(path.At("signerName"), signer,
                   "the legacy signerName is not allowed via this API version");
  } else {
    ValidateSignerName(signer, path.Child("signerName"), errors);
  }
  const json::Value& life = spec.Get("expirationSeconds");
  if (!life.IsNull() && life.AsInteger() < kShortestLife) {
    errors.Invalid(path.At("expirationSeconds"), life,
                   "may not specify a duration less than 600 seconds (10 minutes)");
  }
  ValidateConditions(object, errors);
}

void CertificateRequests::ValidateUpdate(const json::Value& object, const json::Value& before,
                                         std::string_view subresource, FieldErrors& errors) const {
  if (subresource == "status") ValidateConditions(object, errors);
  for (const std::string_view type : kLasting) {
    if (ConditionsOf(object, type).size() >= ConditionsOf(before, type).size()) continue;
    errors.Forbidden("status.conditions",
                     "updates may not remove a condition of type " + Quoted(type));
  }
  if (subresource != "approval") {
    for (const std::string_view type : kDecisions) {
      if (ConditionsOf(object, type).size() <= ConditionsOf(before, type).size()) continue;
      errors.Forbidden("status.conditions",
                       "updates may not add a condition of type " + Quoted(type));
    }
  }
  const std::string& certificate = object.Get("status", "certificate").AsString();
  const std::string& old = before.Get("status", "certificate").AsString();
  if (certificate == old) return;
  const std::string fault =
      certificate.empty() ? "" : FaultOfCertificate(text::DecodeBase64(certificate).value_or(""));
  if (!fault.empty()) errors.Invalid("status.certificate", "<certificate data>", fault);
  if (subresource != "status") {
    errors.Forbidden("status.certificate", "updates may not set certificate content");
  } else if (!old.empty()) {
    errors.Forbidden("status.certificate", "updates may not modify existing certificate content");
  }
}

// The plugin CertificateSubjectRestriction.
std::string CertificateRequests::Admit(const json::Value& object, const json::Value& before,
                                       std::string_view /*subresource*/) const {
  const json::Value& spec = object.Get("spec");
  if (!before.IsNull() || spec.Get("signerName").AsString() != kClientSigner) return "";
  const RequestPtr request =
      ReadRequest(text::DecodeBase64(spec.Get("request").AsString()).value_or(""));
  if (!request || !HasOrganization(*request, "system:masters")) return "";
  return "use of " + std::string(kClientSigner) +
         " signer with system:masters group is not allowed";
}

}  // namespace

StrategyPtr CertificateRequestStrategy() { return std::make_shared<CertificateRequests>(); }

}  // namespace capstan::testing::server
