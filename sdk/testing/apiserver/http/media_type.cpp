#include "apiserver/http/media_type.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/http/api_errors.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kAny = "*/*";
constexpr size_t kMaxClauses = 64;

struct Clause {
  std::string type;
  std::vector<std::pair<std::string, std::string>> parameters;
  double quality = 1;
};

constexpr std::string_view kSpace = " \t";

// Removes and returns the part of `text` before `separator`.
std::string_view Take(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return text::Trimmed(part, kSpace);
}

std::vector<Clause> ClausesOf(std::string_view accept) {
  std::vector<Clause> clauses;
  while (!accept.empty() && clauses.size() < kMaxClauses) {
    std::string_view part = Take(accept, ',');
    Clause clause;
    clause.type = text::Lower(Take(part, ';'));
    while (!part.empty()) {
      std::string_view parameter = Take(part, ';');
      const std::string key = text::Lower(Take(parameter, '='));
      std::string value(text::Trimmed(parameter, kSpace));
      if (key == "q") {
        clause.quality = std::strtod(value.c_str(), nullptr);
      } else if (!key.empty()) {
        clause.parameters.emplace_back(key, std::move(value));
      }
    }
    if (!clause.type.empty()) clauses.push_back(std::move(clause));
  }
  std::stable_sort(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    return a.type != kAny && b.type == kAny;
  });
  return clauses;
}

std::optional<MediaType::As> RepresentationOf(std::string_view kind) {
  if (kind == "Table") return MediaType::As::kTable;
  if (kind == "PartialObjectMetadata") return MediaType::As::kPartialMetadata;
  if (kind == "PartialObjectMetadataList") return MediaType::As::kPartialMetadataList;
  return std::nullopt;
}

// Returns nullopt if the clause asks for a form that is not served.
std::optional<MediaType> Accepted(const Clause& clause, Encodings encodings) {
  MediaType media;
  media.yaml = clause.type == kYaml;
  media.protobuf = clause.type == kProtobuf;
  const bool text = media.yaml || clause.type == kJson || clause.type == kAny;
  if (!text && !media.protobuf) return std::nullopt;
  std::string kind, group, version;
  for (const auto& [key, value] : clause.parameters) {
    if (key == "as") kind = value;
    if (key == "g") group = value;
    if (key == "v") version = value;
    if (key == "pretty") media.pretty = value == "1";
    if (key == "stream" && !value.empty() && value != "watch") return std::nullopt;
    if (key == "sv" && !value.empty()) return std::nullopt;
  }
  if (kind.empty() && group.empty() && version.empty()) {
    if (media.protobuf && encodings != Encodings::kAll) return std::nullopt;
    return media;
  }
  const auto form = RepresentationOf(kind);
  if (!form || group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) {
    return std::nullopt;
  }
  if (media.protobuf && *form == MediaType::As::kTable) return std::nullopt;
  media.as = *form;
  media.meta_version = version;
  return media;
}

// The texts list protobuf, as those of kube-apiserver do, unless the request asks for protobuf.
Status NotAcceptable(const std::vector<Clause>& clauses, Endpoint endpoint, Encodings encodings) {
  const auto is_known = [](const Clause& clause) {
    return clause.type == kJson || clause.type == kYaml || clause.type == kAny;
  };
  const auto is_protobuf = [](const Clause& clause) { return clause.type == kProtobuf; };
  if (encodings == Encodings::kCustom || std::any_of(clauses.begin(), clauses.end(), is_known)) {
    if (endpoint == Endpoint::kWatch) {
      return NotAcceptableError(
          "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
    }
    return NotAcceptableError(
        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
  }
  if (std::any_of(clauses.begin(), clauses.end(), is_protobuf)) {
    return NotAcceptableError("application/json, application/yaml");
  }
  std::string available =
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf";
  if (endpoint != Endpoint::kObject) {
    available +=
        ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  }
  return GenericError(406, std::move(available));
}

}  // namespace

Result<MediaType> Negotiate(std::string_view accept, Endpoint endpoint, Encodings encodings) {
  if (text::Trimmed(accept, kSpace).empty()) return MediaType();
  const std::vector<Clause> clauses = ClausesOf(accept);
  for (const Clause& clause : clauses) {
    const auto media = Accepted(clause, encodings);
    if (media && !(media->yaml && endpoint == Endpoint::kWatch)) return *media;
  }
  return NotAcceptable(clauses, endpoint, encodings);
}

std::string MediaTypeName(std::string_view content_type) {
  if (text::Trimmed(content_type, kSpace).empty()) return {};
  std::string name = text::Lower(Take(content_type, ';'));
  const auto slash = std::count(name.begin(), name.end(), '/');
  const bool has_space = name.find_first_of(" \t\"") != std::string::npos;
  if (slash != 1 || has_space || name.front() == '/' || name.back() == '/') return "invalid";
  return name;
}

}  // namespace capstan::testing::server
