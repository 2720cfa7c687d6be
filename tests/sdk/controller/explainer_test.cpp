#include <capstan/controller/explainer.h>
#include <gtest/gtest.h>

#include <capstan/api/raw_json.h>

namespace capstan {
namespace {

using State = Explanation::State;

const WallTime kNow = WallTime(std::chrono::seconds(1'800'000'000));

api::Time Ago(int64_t seconds) { return api::Time::FromSeconds(1'800'000'000 - seconds); }

ExplainedObject Blocked() {
  return {.kind = "Deployment",
          .name = {"shop", "web"},
          .explanation = {.state = State::kBlocked,
                          .reason = "CrashLoopBackOff",
                          .message = "1 of 3 pods are not available.",
                          .notes = {"No pod may go.", "No pod may come."},
                          .since = Ago(720),
                          .details = {{.object = "pod/web-1",
                                       .more = 2,
                                       .reason = "CrashLoopBackOff",
                                       .message = "exit code 1",
                                       .since = Ago(100)},
                                      {.object = "pod/web-2", .reason = "NotReady"}}}};
}

TEST(ExplanationText, ListsReasonMessageNotesAndDetails) {
  EXPECT_EQ(ExplanationText(Blocked(), kNow),
            "deployment/web in shop is blocked: CrashLoopBackOff, for 12m (since "
            "2027-01-15T07:48:00Z)\n"
            "  1 of 3 pods are not available.\n"
            "  No pod may go.\n"
            "  No pod may come.\n"
            "  - pod/web-1 and 2 more: CrashLoopBackOff for 100s: exit code 1\n"
            "  - pod/web-2: NotReady\n");
}

TEST(ExplanationText, OmitsUnknownParts) {
  const ExplainedObject object{
      .kind = "Thing", .name = {"", "one"}, .explanation = {.reason = "Complete", .message = "."}};
  EXPECT_EQ(ExplanationText(object, kNow), "thing/one is settled: Complete\n  .\n");
}

TEST(ExplanationText, RoundsAges) {
  const auto head = [](int64_t seconds) {
    ExplainedObject object{.kind = "A", .name = {"", "b"}, .explanation = {.reason = "C"}};
    object.explanation.since = Ago(seconds);
    const std::string text = ExplanationText(object, kNow);
    const size_t begin = text.find("for ") + 4;
    return text.substr(begin, text.find(' ', begin) - begin);
  };
  EXPECT_EQ(head(-5), "0s");  // the clocks differ
  EXPECT_EQ(head(119), "119s");
  EXPECT_EQ(head(120), "2m");
  EXPECT_EQ(head(7'199), "119m");
  EXPECT_EQ(head(7'200), "2h");
  EXPECT_EQ(head(200'000), "2d");
}

TEST(ExplanationText, EscapesControlCharacters) {
  ExplainedObject object = Blocked();
  object.explanation.message =
      "a\x1b[2Jb\nc\x7f\xc2\x9b"
      "d\xc3\xa4\xc2";
  object.explanation.notes.clear();
  object.explanation.details.clear();
  const std::string text = ExplanationText(object, kNow);
  EXPECT_EQ(text.substr(text.find('\n')), "\n  a [2Jb c  d\xc3\xa4\xc2\n");
}

TEST(ExplanationJson, HasAllMembers) {
  EXPECT_EQ(ExplanationJson(Blocked()),
            R"({"kind":"Deployment","namespace":"shop","name":"web","state":"blocked",)"
            R"("reason":"CrashLoopBackOff","message":"1 of 3 pods are not available.",)"
            R"("since":"2027-01-15T07:48:00Z","notes":["No pod may go.","No pod may come."],)"
            R"("details":[{"object":"pod/web-1","more":2,"reason":"CrashLoopBackOff",)"
            R"("message":"exit code 1","since":"2027-01-15T07:58:20Z"},)"
            R"({"object":"pod/web-2","more":0,"reason":"NotReady","message":""}]})");
}

TEST(ExplanationJson, IsValidForArbitraryText) {
  ExplainedObject object = Blocked();
  object.explanation.message = "\"\\\x01\n";
  object.explanation.since = api::Time::FromSeconds(std::numeric_limits<int64_t>::max());
  const auto parsed = RawJson::Parse(ExplanationJson(object));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->StringAt("/message"), "\"\\\x01\n");
}

TEST(StateName, ReturnsTheNameOfTheState) {
  EXPECT_EQ(StateName(State::kSettled), "settled");
  EXPECT_EQ(StateName(State::kWaiting), "waiting");
  EXPECT_EQ(StateName(State::kBlocked), "blocked");
}

}  // namespace
}  // namespace capstan
