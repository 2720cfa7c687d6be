#include "vector.h"
#include "support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace capstan::vectors {
namespace {

using ::testing::HasSubstr;

constexpr char kLine[] =
    R"({"id":7,"controller":"deployment","key":"default/web","now":"2026-11-21T02:46:54Z",)"
    R"("before":{"deployments":[{"metadata":{"name":"web","namespace":"default"}}],"pods":null},)"
    R"("after":{},"events":["Normal A b"],"error":"no"})";

std::string With(const std::string& part, const std::string& other) {
  std::string line = kLine;
  const size_t at = line.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return line.replace(at, part.size(), other);
}

TEST(Vector, IsParsedFromALine) {
  const Result<Vector> vector = ParseVector(kLine);
  ASSERT_TRUE(vector.ok()) << vector.status().ToString();
  EXPECT_EQ(vector->id, 7);
  EXPECT_EQ(vector->key, (NamespacedName{"default", "web"}));
  EXPECT_EQ(vector->now.ToString(), "2026-11-21T02:46:54Z");
  EXPECT_EQ(vector->before.deployments.size(), 1);
  EXPECT_TRUE(vector->before.pods.empty());
  EXPECT_TRUE(vector->after.deployments.empty());
  EXPECT_EQ(vector->events, std::vector<std::string>{"Normal A b"});
  EXPECT_EQ(vector->error, "no");
}

TEST(Vector, IsRefusedWithTheNameOfTheInvalidField) {
  const std::string object = R"({"metadata":{"name":"web","namespace":"default"}})";
  const std::pair<std::string, std::string> kBad[] = {
      {With(R"("id":7)", R"("id":"7")"), "id"},
      {With(R"("deployment",)", R"("job",)"), "controller"},
      {With("default/web", "web"), "key"},
      {With("default/web", "/web"), "key"},
      {With("default/web", "default/"), "key"},
      {With("2026-11-21T02:46:54Z", "soon"), "now"},
      {With(R"("after":{})", R"("after":[])"), "after"},
      {With("null", "{}"), "before: pods"},
      {With(object, "{}"), "before: deployments"},
      {With(object, object + "," + object), "twice"},
      {With(R"("Normal A b")", "1"), "events"}};
  for (const auto& [line, what] : kBad) {
    const Result<Vector> vector = ParseVector(line);
    ASSERT_FALSE(vector.ok()) << line;
    EXPECT_THAT(vector.status().message(), HasSubstr(what));
  }
  EXPECT_FALSE(ParseVector("").ok());
  EXPECT_FALSE(ParseVector("{").ok());
}

TEST(Vectors, InTheRepositoryAreComplete) {
  for (const char* name : {"deployment", "replicaset"}) {
    int64_t count = 0;
    const Status read =
        ReadVectors(tests::TestFolder() / "vectors" / (std::string(name) + ".jsonl.gz"),
                    [&](const Vector& vector) {
                      EXPECT_EQ(vector.id, ++count);
                      EXPECT_EQ(vector.controller, name);
                    });
    EXPECT_TRUE(read.ok()) << read.ToString();
    EXPECT_EQ(count, 2500);
  }
}

TEST(Vectors, MissingOrDamagedFilesAreErrors) {
  const auto ignore = [](const Vector&) {};
  EXPECT_TRUE(ReadVectors("/nonexistent", ignore).IsNotFound());

  const std::filesystem::path folder = tests::TestFolder() / "vectors";
  std::ifstream whole(folder / "deployment.jsonl.gz", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(whole), {});
  const std::filesystem::path file = ::testing::TempDir() + "damaged.jsonl.gz";
  const auto write = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  };
  write(bytes.substr(0, bytes.size() / 2));
  EXPECT_FALSE(ReadVectors(file, ignore).ok());
  bytes.replace(bytes.size() / 2, 100, 100, 'x');
  write(bytes);
  EXPECT_FALSE(ReadVectors(file, ignore).ok());
  write("no gzip");
  EXPECT_FALSE(ReadVectors(file, ignore).ok());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace capstan::vectors
