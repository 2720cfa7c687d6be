#include "apiserver/http/media_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::testing::server {
namespace {

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

MediaType Of(std::string_view accept) { return *Negotiate(accept, Endpoint::kObject); }

TEST(MediaType, IsJsonByDefault) {
  for (const char* accept :
       {"", "*/*", "application/json", "Application/JSON", "application/json;stream=watch",
        "application/cbor,application/json", "text/html, */*;q=0.8"}) {
    EXPECT_EQ(Of(accept).ContentType(), "application/json") << accept;
    EXPECT_EQ(Of(accept).as, MediaType::As::kObject) << accept;
  }
  EXPECT_EQ(Of("application/yaml").ContentType(), "application/yaml");
}

TEST(MediaType, IsProtobufForResourcesWithThatForm) {
  constexpr std::string_view kAccept = "application/vnd.kubernetes.protobuf, application/json";
  EXPECT_EQ(Of(kAccept).ContentType(), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(Of("application/vnd.kubernetes.protobuf;stream=watch").ContentType(),
            "application/vnd.kubernetes.protobuf");
  for (const Encodings encodings : {Encodings::kNoProtobuf, Encodings::kCustom}) {
    EXPECT_FALSE(Negotiate(kAccept, Endpoint::kObject, encodings)->protobuf);
  }
  constexpr std::string_view kPartial =
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  EXPECT_TRUE(Negotiate(kPartial, Endpoint::kObject, Encodings::kCustom)->protobuf);
  EXPECT_FALSE(
      Of("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io," + std::string(kTable))
          .protobuf);
}

TEST(MediaType, UsesTheFirstSupportedType) {
  EXPECT_EQ(Of(std::string(kTable) + ",application/json").as, MediaType::As::kTable);
  EXPECT_EQ(Of("application/json," + std::string(kTable)).as, MediaType::As::kObject);
  EXPECT_EQ(Of("application/json;as=Foo;v=v1;g=meta.k8s.io, " + std::string(kTable)).as,
            MediaType::As::kTable);
  EXPECT_EQ(Of("application/json;as=Table;v=v2;g=meta.k8s.io,application/json").as,
            MediaType::As::kObject);
}

TEST(MediaType, PrefersTheHigherQuality) {
  EXPECT_EQ(Of("application/json;q=0.5," + std::string(kTable) + ";q=0.9").as,
            MediaType::As::kTable);
  EXPECT_EQ(Of("*/*, application/yaml").ContentType(), "application/yaml");
}

TEST(MediaType, SupportsTheFormsOfMetadata) {
  const MediaType partial = Of("application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io");
  EXPECT_EQ(partial.as, MediaType::As::kPartialMetadata);
  EXPECT_EQ(partial.MetaApiVersion(), "meta.k8s.io/v1beta1");
  EXPECT_EQ(Of("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io").as,
            MediaType::As::kPartialMetadataList);
}

TEST(MediaType, ListsTheSupportedTypesWhenNoneMatches) {
  const auto message = [](std::string_view accept, Endpoint endpoint) {
    const Status status = Negotiate(accept, endpoint).status();
    EXPECT_EQ(status.http_code(), 406) << accept;
    return status.message();
  };
  EXPECT_EQ(message("application/json;as=Foo;v=v1;g=meta.k8s.io", Endpoint::kObject),
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(
      Negotiate("application/vnd.kubernetes.protobuf", Endpoint::kObject, Encodings::kNoProtobuf)
          .status()
          .message(),
      "only the following media types are accepted: application/json, application/yaml");
  EXPECT_EQ(message("text/plain", Endpoint::kObject),
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf");
  EXPECT_EQ(message("application/cbor", Endpoint::kCollection),
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf, "
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(message("application/yaml", Endpoint::kWatch),
            "only the following media types are accepted: application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST(MediaType, ItsNameIsLowerCaseWithoutParameters) {
  EXPECT_EQ(MediaTypeName(""), "");
  EXPECT_EQ(MediaTypeName("Application/JSON; charset=utf-8"), "application/json");
  for (const char* bad : {";;", "json", "a/b/c", "/a", "a/", "a b/c", ","}) {
    EXPECT_EQ(MediaTypeName(bad), "invalid") << bad;
  }
}

}  // namespace
}  // namespace capstan::testing::server
