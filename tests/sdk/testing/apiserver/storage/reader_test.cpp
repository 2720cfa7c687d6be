#include "apiserver/storage/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

#include "apiserver/storage/continue_token.h"
#include "sdk/testing/apiserver/config_maps.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ReaderTest : public ::testing::Test {
 protected:
  Result<Reader::Page> List(std::string_view query, std::string namespace_ = "default") {
    return reader.List(RequestFor(resource, "list", query, std::move(namespace_)));
  }
  Status Refused(std::string_view query) { return List(query).status(); }
  Result<ApiAnswer> Get(std::string name, std::string_view query = "") {
    ApiRequest request = RequestFor(resource, "get", query);
    request.name = std::move(name);
    return reader.Get(request);
  }
  static std::vector<std::string> Names(const Result<Reader::Page>& page) {
    std::vector<std::string> names;
    if (!page.ok()) return {page.status().message()};
    for (const StoredObjectPtr& object : page->objects) {
      names.push_back(object->value().Get("metadata", "name").AsString());
    }
    return names;
  }

  const Resource resource = ConfigMaps();
  SimulatedRuntime runtime;
  Store store{runtime, 100};
  Reader reader{store};
};

class ReaderOfFive : public ReaderTest {
 protected:
  ReaderOfFive() {
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      PutConfigMap(store, name, "default", {{"n", name}});  // versions 2 to 6
    }
  }
};

TEST_F(ReaderOfFive, GetsAnObject) {
  const auto answer = Get("a");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->object.Get("metadata", "resourceVersion").AsString(), "2");
}

TEST_F(ReaderOfFive, AMissingObjectIsNotFound) {
  const Status status = Get("nope").status();
  EXPECT_TRUE(status.IsNotFound());
  EXPECT_EQ(status.message(), "configmaps \"nope\" not found");
}

TEST_F(ReaderOfFive, RefusesToGetAFutureVersion) {
  EXPECT_TRUE(Get("a", "resourceVersion=6").ok());
  EXPECT_EQ(Get("nope", "resourceVersion=7").status().message(),
            "Timeout: Too large resource version: 7, current: 6");
  EXPECT_EQ(Get("a", "resourceVersion=x").status().http_code(), 500);
}

TEST_F(ReaderOfFive, ListsTheLatestStateWithItsVersion) {
  const auto page = List("");
  EXPECT_THAT(Names(page), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(page->resource_version, "6");
  EXPECT_EQ(page->continue_token, "");
  EXPECT_EQ(page->remaining, std::nullopt);
}

TEST_F(ReaderOfFive, ListsNotOlderThanAVersionReturnTheLatestState) {
  EXPECT_EQ(List("resourceVersion=3")->resource_version, "6");
  EXPECT_EQ(List("resourceVersion=0")->resource_version, "6");
  EXPECT_EQ(List("resourceVersion=3&resourceVersionMatch=NotOlderThan")->resource_version, "6");
}

TEST_F(ReaderOfFive, ListsAnExactVersion) {
  const auto page = List("resourceVersion=3&resourceVersionMatch=Exact");
  EXPECT_THAT(Names(page), ElementsAre("a", "b"));
  EXPECT_EQ(page->resource_version, "3");
}

TEST_F(ReaderOfFive, ALimitMakesTheVersionExact) {
  EXPECT_THAT(Names(List("resourceVersion=4&limit=2")), ElementsAre("a", "b"));
  EXPECT_EQ(List("resourceVersion=4&limit=2")->remaining, 1);
}

TEST_F(ReaderOfFive, VersionZeroIgnoresTheLimit) {
  const auto page = List("resourceVersion=0&limit=2");
  EXPECT_EQ(page->objects.size(), 5U);
  EXPECT_EQ(page->continue_token, "");
}

TEST_F(ReaderOfFive, PagesShowTheStateOfTheFirstPage) {
  auto page = List("limit=2");
  EXPECT_THAT(Names(page), ElementsAre("a", "b"));
  EXPECT_EQ(page->remaining, 3);
  RemoveConfigMap(store, "c");
  PutConfigMap(store, "bb");
  page = List("limit=2&continue=" + page->continue_token);
  EXPECT_THAT(Names(page), ElementsAre("c", "d"));
  EXPECT_EQ(page->remaining, 1);
  EXPECT_EQ(page->resource_version, "6");
  page = List("limit=2&continue=" + page->continue_token);
  EXPECT_THAT(Names(page), ElementsAre("e"));
  EXPECT_EQ(page->continue_token, "");
  EXPECT_EQ(page->remaining, std::nullopt);
}

TEST_F(ReaderOfFive, PagesSpanAllNamespaces) {
  PutConfigMap(store, "x", "default-2");
  PutConfigMap(store, "y", "zoo");
  std::vector<std::string> names;
  std::string token;
  do {
    const auto page = List("limit=2&continue=" + token, "");
    ASSERT_TRUE(page.ok());
    for (const std::string& name : Names(page)) names.push_back(name);
    token = page->continue_token;
  } while (!token.empty());
  EXPECT_THAT(names, ElementsAre("x", "a", "b", "c", "d", "e", "y"));
}

TEST_F(ReaderOfFive, SelectorsOmitTheRemainingItemCount) {
  const auto page = List("limit=2&labelSelector=n");
  EXPECT_EQ(page->objects.size(), 2U);
  EXPECT_NE(page->continue_token, "");
  EXPECT_EQ(page->remaining, std::nullopt);
}

TEST_F(ReaderOfFive, AContinueTokenHasTheFormatOfTheApi) {
  // {"rv":6,"start":"/b\u0000","v":"meta.k8s.io/v1"}
  const auto token = ContinueToken::Decode(List("limit=2")->continue_token);
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->version, 6);
  EXPECT_EQ(token->start, std::string("b\0", 2));
}

TEST_F(ReaderOfFive, AnExpiredTokenErrorContainsATokenForTheRest) {
  const std::string token = List("limit=2")->continue_token;
  PutConfigMap(store, "f");
  store.Compact();
  const std::string query = "limit=2&continue=" + token;
  const Status status = Refused(query);
  EXPECT_EQ(status.http_code(), 410);
  EXPECT_EQ(status.reason(), StatusReason::kExpired);
  EXPECT_THAT(status.message(), StartsWith("The provided continue parameter is too old"));
  const std::string next = Reader::TokenForNewest(RequestFor(resource, "list", query));
  EXPECT_THAT(Names(List("continue=" + next)), ElementsAre("c", "d", "e", "f"));
}

TEST_F(ReaderOfFive, SelectsByLabelsAndFields) {
  EXPECT_THAT(Names(List("labelSelector=n+in+(a,c)")), ElementsAre("a", "c"));
  EXPECT_THAT(Names(List("fieldSelector=metadata.name%3Db")), ElementsAre("b"));
  EXPECT_THAT(Names(List("fieldSelector=metadata.name!%3Db,metadata.name!%3Da")),
              ElementsAre("c", "d", "e"));
  EXPECT_THAT(Names(List("fieldSelector=metadata.namespace%3Dother")), IsEmpty());
}

TEST_F(ReaderOfFive, RefusesToListAFutureVersion) {
  for (const char* query : {"resourceVersion=7", "resourceVersion=7&limit=1",
                            "resourceVersion=7&resourceVersionMatch=Exact",
                            "resourceVersion=18446744073709551615&resourceVersionMatch=Exact"}) {
    const Status status = Refused(query);
    EXPECT_EQ(status.http_code(), 504) << query;
    EXPECT_TRUE(status.HasCause("ResourceVersionTooLarge")) << query;
    EXPECT_EQ(status.retry_after(), std::chrono::seconds(1)) << query;
  }
}

TEST_F(ReaderOfFive, ACompactedExactVersionIsExpired) {
  store.Compact();
  PutConfigMap(store, "f");
  const Status status = Refused("resourceVersion=3&resourceVersionMatch=Exact");
  EXPECT_EQ(status.message(), "The resourceVersion for the provided list is too old.");
  EXPECT_EQ(status.http_code(), 410);
}

struct BadQuery {
  const char* name;
  const char* query;
  int code;
  const char* message;
};

void PrintTo(const BadQuery& bad, std::ostream* out) { *out << bad.query; }

class BadList : public ReaderOfFive, public ::testing::WithParamInterface<BadQuery> {};

// The texts are those of kube-apiserver 1.36.
TEST_P(BadList, IsRefusedWithTheMessageOfTheApi) {
  const Status status = Refused(GetParam().query);
  EXPECT_EQ(status.http_code(), GetParam().code);
  EXPECT_EQ(status.message(), GetParam().message);
}

#define LIST_OPTIONS "ListOptions.meta.k8s.io \"\" is invalid: "
INSTANTIATE_TEST_SUITE_P(
    Queries, BadList,
    ::testing::Values(
        BadQuery{"LimitIsText", "limit=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax"},
        BadQuery{"VersionIsText", "resourceVersion=abc", 400,
                 "invalid resource version: resourceVersion: Invalid value: \"abc\": "
                 "strconv.ParseUint: parsing \"abc\": invalid syntax"},
        BadQuery{"MatchWithoutVersion", "resourceVersionMatch=Exact", 422,
                 LIST_OPTIONS "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden "
                              "unless resourceVersion is provided"},
        BadQuery{"ExactlyZero", "resourceVersionMatch=Exact&resourceVersion=0", 422,
                 LIST_OPTIONS "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is "
                              "forbidden for resourceVersion \"0\""},
        BadQuery{"UnknownMatch", "resourceVersionMatch=Foo&resourceVersion=1", 422,
                 LIST_OPTIONS "resourceVersionMatch: Unsupported value: \"Foo\": supported values: "
                              "\"Exact\", \"NotOlderThan\", \"\""},
        BadQuery{"InitialEventsOfAList", "sendInitialEvents=true", 422,
                 LIST_OPTIONS
                 "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
        BadQuery{"TokenIsNoBase64", "continue=!!", 400,
                 "invalid continue token: continue key is not valid: illegal base64 data at input "
                 "byte 0"},
        BadQuery{"TokenOfAnotherVersion",
                 "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6LTEsInN0YXJ0IjoiYzJcdTAwMDAifQ", 400,
                 "invalid continue token: continue key is not valid: server does not recognize "
                 "this encoded version meta.k8s.io/v2"},
        BadQuery{"TokenWithoutVersion",
                 "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJjMlx1MDAwMCJ9", 400,
                 "invalid continue token: continue key is not valid: incorrect encoded start "
                 "resourceVersion (version meta.k8s.io/v1)"},
        BadQuery{"TokenAndVersion",
                 "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYzJcdTAwMDAifQ&"
                 "resourceVersion=5",
                 400, "specifying resource version is not allowed when using continue"},
        BadQuery{"UnknownField", "fieldSelector=spec.foo%3Da", 400,
                 "\"spec.foo\" is not a known field selector: only \"metadata.name\", "
                 "\"metadata.namespace\""},
        BadQuery{"BadLabelSelector", "labelSelector=a+b", 400,
                 "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"}),
    [](const auto& info) { return info.param.name; });
#undef LIST_OPTIONS

TEST(ContinueToken, CannotPointOutsideItsList) {
  for (const char* start : {"../secrets/a", "a//b", "./a", "a/..", "/"}) {
    const std::string text = ContinueToken{-1, start}.Encode();
    EXPECT_EQ(ContinueToken::Decode(text).status().http_code(), 400) << start;
  }
  EXPECT_TRUE(ContinueToken::Decode(ContinueToken{-1, "/a/b.c"}.Encode()).ok());
}

}  // namespace
}  // namespace capstan::testing::server
