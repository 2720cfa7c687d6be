#include "plugins/plugin_catalog.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "plugin_directory.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class PluginCatalogTest : public ::testing::Test {
 protected:
  std::string Error() { return ReadPluginCatalog(directory_.path()).status().message(); }

  // Overwrites a byte of the ELF header.
  void Patch(const std::filesystem::path& file, size_t offset, char value) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(value);
  }

  PluginDirectory directory_;
};

TEST_F(PluginCatalogTest, ReadsTheNoteOfAPluginWithoutLoadingIt) {
  const auto file = directory_.Add("throwing_setup");
  auto catalog = ReadPluginCatalog(directory_.path());
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  ASSERT_THAT(catalog->plugins, SizeIs(1));
  const PluginManifest& plugin = catalog->plugins[0];
  EXPECT_EQ(plugin.file, file);
  EXPECT_EQ(plugin.name, "throwing-setup");
  EXPECT_THAT(plugin.aliases, ElementsAre("thrower", "cheese"));
  EXPECT_EQ(plugin.version, "1.2.3");
  EXPECT_EQ(plugin.concurrent_syncs_flag, "concurrent-thrower-syncs");
  EXPECT_EQ(plugin.concurrent_syncs, 7);
  EXPECT_TRUE(plugin.off_by_default);
  ASSERT_THAT(plugin.explains, SizeIs(1));
  EXPECT_EQ(plugin.explains[0].kind, "Cheese");
  EXPECT_EQ(plugin.explains[0].resource, "cheeses.example.dev");
  EXPECT_EQ(plugin.explains[0].short_name, "ch");
  EXPECT_EQ(dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(PluginCatalogTest, AnEmptyDirectoryHoldsNoPlugin) {
  auto catalog = ReadPluginCatalog(directory_.path());
  ASSERT_TRUE(catalog.ok());
  EXPECT_THAT(catalog->plugins, IsEmpty());
}

TEST_F(PluginCatalogTest, FilesWithOtherExtensionsAreIgnored) {
  std::ofstream(directory_.path() / "README") << "hello";
  std::ofstream(directory_.path() / "old.so.bak") << "hello";
  EXPECT_TRUE(ReadPluginCatalog(directory_.path()).ok());
}

TEST_F(PluginCatalogTest, ASharedObjectWithoutANoteIsIgnored) {
  const auto file = directory_.Add("no_note");
  auto catalog = ReadPluginCatalog(directory_.path());
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  EXPECT_THAT(catalog->plugins, IsEmpty());
  EXPECT_THAT(catalog->others, ElementsAre(file));
}

TEST_F(PluginCatalogTest, AFileThatIsNotElfIsRefused) {
  const auto file = directory_.Write("not_elf", "#!/bin/sh\necho hello\n");
  EXPECT_EQ(Error(), "plugin " + file.string() + ": is not an ELF file");
}

TEST_F(PluginCatalogTest, EmptyAndVeryShortFilesAreRefused) {
  directory_.Write("empty", "");
  directory_.Write("magic",
                   "\x7f"
                   "ELF");
  directory_.Write("three",
                   "\x7f"
                   "EL");
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("empty.so: is not an ELF file"), HasSubstr("magic.so: is truncated"),
                    HasSubstr("three.so: is not an ELF file")));
}

TEST_F(PluginCatalogTest, APluginTruncatedAtAnyOffsetIsRefused) {
  const auto file = directory_.Add("throwing_setup");
  const auto whole = std::filesystem::file_size(file);
  for (const auto size : {whole - 1, whole - 64, whole / 2, whole / 4, uintmax_t{700},
                          uintmax_t{100}, uintmax_t{20}}) {
    std::filesystem::resize_file(file, size);
    EXPECT_THAT(Error(), StartsWith("plugin " + file.string() + ": is truncated")) << size;
  }
}

TEST_F(PluginCatalogTest, AForeignElfFileIsRefused) {
  Patch(directory_.AddAs("throwing_setup", "bits"), EI_CLASS, ELFCLASS32);
  Patch(directory_.AddAs("throwing_setup", "machine"), offsetof(Elf64_Ehdr, e_machine), EM_M32);
  Patch(directory_.AddAs("throwing_setup", "order"), EI_DATA,
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB);
  Patch(directory_.AddAs("throwing_setup", "program"), offsetof(Elf64_Ehdr, e_type), ET_EXEC);
  Patch(directory_.AddAs("throwing_setup", "table"), offsetof(Elf64_Ehdr, e_phoff) + 7, '\x7f');
  EXPECT_THAT(Error(), AllOf(HasSubstr("bits.so: is a 32-bit ELF file"),
                             HasSubstr("machine.so: is built for another machine"),
                             HasSubstr("order.so: has a different byte order"),
                             HasSubstr("program.so: is not a shared object"),
                             HasSubstr("table.so: is truncated")));
}

TEST_F(PluginCatalogTest, AnyChangedHeaderByteIsHandled) {
  const auto file = directory_.Add("throwing_setup");
  std::string content(1200, '\0');
  std::ifstream(file, std::ios::binary).read(content.data(), 1200);
  for (size_t offset = 0; offset < content.size(); ++offset) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      Patch(file, offset, value);
      (void)ReadPluginCatalog(directory_.path()).ok();
    }
    Patch(file, offset, content[offset]);
  }
  EXPECT_TRUE(ReadPluginCatalog(directory_.path()).ok());
}

TEST_F(PluginCatalogTest, AWorldWritableFileIsRefused) {
  const auto file = directory_.Add("throwing_setup");
  std::filesystem::permissions(file, std::filesystem::perms(0666));
  EXPECT_EQ(Error(),
            "plugin " + file.string() +
                ": is world-writable, so it is not loaded; remove the permission (chmod o-w)");
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  std::filesystem::permissions(directory_.path(), std::filesystem::perms(0777));
  EXPECT_THAT(Error(),
              StartsWith("plugin directory " + directory_.path().string() + ": is world-writable"));
}

TEST_F(PluginCatalogTest, ADirectoryOrABrokenLinkIsRefused) {
  std::filesystem::create_directory(directory_.path() / "directory.so");
  std::filesystem::create_symlink("/does/not/exist", directory_.path() / "link.so");
  EXPECT_THAT(Error(), AllOf(HasSubstr("directory.so: is not a regular file"),
                             HasSubstr("link.so: No such file or directory")));
}

TEST_F(PluginCatalogTest, AnotherContractVersionIsAnErrorThatNamesBothVersions) {
  directory_.Add("wrong_contract_version");
  EXPECT_THAT(Error(), AllOf(HasSubstr("wrong_contract_version.so: is built for plugin contract "
                                       "version 99, this manager has version 2"),
                             HasSubstr("build the plugin with the headers and the compiler of "
                                       "this manager")));
}

TEST_F(PluginCatalogTest, AnotherToolchainIsAnErrorThatNamesBothToolchains) {
  directory_.Add("wrong_toolchain");
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("wrong_toolchain.so: is built with another toolchain: g++ ABI"),
                    HasSubstr("libstdc++ 4711"), HasSubstr("; this manager: g++ ABI")));
}

TEST_F(PluginCatalogTest, AnotherLayoutIsAnErrorThatNamesBothLayouts) {
  directory_.Add("wrong_layout");
  EXPECT_THAT(Error(), HasSubstr("wrong_layout.so: is built with other SDK headers: layout "
                                 "fingerprint 815, this manager has "));
}

TEST_F(PluginCatalogTest, AnInvalidNameOrADamagedNoteIsRefused) {
  directory_.Add("bad_name");
  directory_.Add("damaged_note");
  EXPECT_THAT(Error(), AllOf(HasSubstr("bad_name.so: its note has the name \"-Bad Name\""),
                             HasSubstr("damaged_note.so: has a plugin note that is damaged")));
}

TEST_F(PluginCatalogTest, InitializersOfARefusedPluginDoNotRun) {
  unsetenv("CAPSTAN_BAD_PLUGIN_WAS_LOADED");
  for (const char* name :
       {"wrong_contract_version", "wrong_toolchain", "wrong_layout", "bad_name", "damaged_note"}) {
    const auto file = directory_.Add(name);
    EXPECT_FALSE(ReadPluginCatalog(directory_.path()).ok());
    EXPECT_EQ(dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << name;
  }
  EXPECT_EQ(std::getenv("CAPSTAN_BAD_PLUGIN_WAS_LOADED"), nullptr);
}

TEST_F(PluginCatalogTest, TwoPluginsCannotShareANameAnAliasAFlagOrAKind) {
  const auto first = directory_.AddAs("throwing_setup", "a");
  const auto second = directory_.AddAs("throwing_setup", "b");
  const std::string both = "plugins " + first.string() + " and " + second.string() + ": both have ";
  EXPECT_THAT(Error(), AllOf(HasSubstr(both + "the name \"throwing-setup\""),
                             HasSubstr(both + "the name or alias \"thrower\""),
                             HasSubstr(both + "the flag \"concurrent-thrower-syncs\""),
                             HasSubstr(both + "the explained kind \"cheeses.example.dev\"")));
}

TEST_F(PluginCatalogTest, AllDefectsAreReportedTogether) {
  directory_.Write("a", "a");
  directory_.Add("throwing_setup");
  directory_.Write("z", "z");
  EXPECT_THAT(Error(), AllOf(HasSubstr("a.so: is not an ELF file\n"),
                             HasSubstr("z.so: is not an ELF file")));
}

}  // namespace
}  // namespace capstan::manager
