#include "base/io/whole_file.h"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_folder.h"

namespace capstan::io {
namespace {

TEST(WholeFile, IsReadToItsEnd) {
  const TempFolder folder;
  const std::string text(100'000, 'x');
  EXPECT_EQ(*ReadWholeFile(folder.Write("file", text)), text);
  EXPECT_EQ(*ReadWholeFile(folder.Write("empty", "")), "");
  EXPECT_EQ(**ReadFileIfAny(folder.Write("file", "a")), "a");
}

TEST(WholeFile, ErrorsNameTheFileAndTheReason) {
  const TempFolder folder;
  const Status absent = ReadWholeFile("/absent").status();
  EXPECT_EQ(absent.message(), "cannot read /absent: No such file or directory");
  EXPECT_FALSE(absent.IsNotFound()) << "that is an answer of the API";
  EXPECT_EQ(ReadWholeFile(folder.path()).status().message(),
            "cannot read " + folder.path() + ": Is a directory");
  EXPECT_EQ(ReadFileOrReason("/absent").status().message(), "No such file or directory");
  EXPECT_EQ(ReadFileIfAny(folder.path()).status().message(),
            "cannot read " + folder.path() + ": Is a directory");
}

TEST(WholeFile, AMissingFileIsNoErrorWhenItIsOptional) {
  EXPECT_EQ(*ReadFileIfAny("/absent"), std::nullopt);
}

TEST(WholeFile, ReadsNoMoreThanAllowed) {
  const TempFolder folder;
  const std::string path = folder.Write("file", "12345");
  EXPECT_EQ(*ReadWholeFile(path, 5), "12345");
  EXPECT_EQ(ReadFileOrReason(path, 4).status().message(), "is larger than 4 bytes");
  EXPECT_EQ(ReadFileOrReason("/dev/zero", 1 << 20).status().message(), "is larger than 1 MiB");
}

}  // namespace
}  // namespace capstan::io
