// Checks the table of docs/kinds.md against the registered kinds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <capstan/api/kinds.h>

#include "support/paths.h"

namespace capstan::tests {
namespace {

std::string RowOf(const TypeDescriptor& type) {
  const ResourceInfo& info = *type.resource;
  const std::string name = type.name;
  return std::string("| ") + info.kind + " | " + info.ApiVersion() + " | " + info.resource +
         " | `" + name.substr(name.find("api::")) + "` |";
}

std::string Trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::vector<std::string> TrimmedLinesOf(const std::string& path) {
  std::ifstream file(RepositoryFolder() / path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Trimmed(line));
  return lines;
}

TEST(KindsDocument, ListsEveryTypedKind) {
  std::vector<std::string> rows;
  for (const std::string& line : TrimmedLinesOf("docs/kinds.md")) {
    if (line.find("| `api::") != std::string::npos) rows.push_back(line);
  }
  std::vector<std::string> expected;
  for (const TypeDescriptor* type : TypedKinds()) expected.push_back(RowOf(*type));
  EXPECT_THAT(rows, ::testing::ElementsAreArray(expected));
}

TEST(KindsDocument, QuotesOnlyLinesOfTheHeader) {
  const std::vector<std::string> header = TrimmedLinesOf("sdk/include/capstan/api/core_v1.h");
  bool in_code = false;
  int lines = 0;
  for (const std::string& line : TrimmedLinesOf("docs/kinds.md")) {
    if (line.rfind("```", 0) == 0) {
      in_code = !in_code;
    } else if (in_code && !line.empty()) {
      EXPECT_THAT(header, ::testing::Contains(line));
      ++lines;
    }
  }
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace capstan::tests
