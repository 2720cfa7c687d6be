// Checks docs/flags.md and config/ against the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text/joined.h"
#include "config/config_file.h"
#include "config/config_writer.h"
#include "config/foreign_flags.h"
#include "config/options.h"
#include "config/settings.h"
#include "reference_flags.h"
#include "support/paths.h"

namespace capstan::manager {
namespace {

const std::filesystem::path kSourceRoot = tests::RepositoryFolder();
const std::string kPluginDirFlag = "--plugin-dir=" + tests::PluginFolder();

std::vector<std::string> LinesOfFile(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty()) << file;
  return lines;
}

// The cells of "| a | b |".
std::vector<std::string> CellsOf(const std::string& row) {
  std::vector<std::string> cells;
  size_t begin = 1;
  for (size_t bar; (bar = row.find('|', begin)) != std::string::npos; begin = bar + 1) {
    const size_t first = row.find_first_not_of(' ', begin);
    const size_t last = row.find_last_not_of(' ', bar - 1);
    cells.push_back(first >= bar ? "" : row.substr(first, last + 1 - first));
  }
  return cells;
}

std::string InCode(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

// The rows of the tables with this number of columns, by flag without "--".
std::map<std::string, std::vector<std::string>> DocumentedRows(size_t columns) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const std::string& line : LinesOfFile(kSourceRoot / "docs" / "flags.md")) {
    if (!line.starts_with("| `--")) continue;
    const auto cells = CellsOf(line);
    if (cells.size() != columns) continue;
    const std::string flag = cells[0].substr(3, cells[0].size() - 4);
    EXPECT_TRUE(rows.emplace(flag, cells).second) << flag << " appears twice";
  }
  return rows;
}

const ReferenceFlag* FindReference(const std::vector<ReferenceFlag>& flags,
                                   const std::string& name) {
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [&](const ReferenceFlag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// --help does not show an empty default.
std::string DefaultToShow(std::string text) {
  for (const char* nothing : {"[]", "0", "false", "0s", ""}) {
    if (text == nothing) return "";
  }
  if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
  return text;
}

std::string KcmCell(const std::string& flag, const std::string& default_text) {
  static const auto& flags = *new auto(KcmFlags());
  const ReferenceFlag* reference = FindReference(flags, flag);
  if (reference == nullptr) return "–";
  const std::string theirs = DefaultToShow(reference->default_text);
  if (theirs == DefaultToShow(default_text)) return "same";
  return theirs.empty() ? "unset" : InCode(theirs);
}

std::string ArgoCell(const Setting& setting) {
  static const auto& flags = *new auto(ArgoFlags());
  std::vector<std::string> names = setting.other_flags;
  names.insert(names.begin(), setting.flag);
  std::string cell;
  for (const std::string& name : names) {
    if (FindReference(flags, name) == nullptr) continue;
    cell += (cell.empty() ? "" : ", ") + InCode("--" + name);
  }
  return cell.empty() ? "–" : cell;
}

class FlagsDocTest : public ::testing::Test {
 protected:
  FlagsDocTest() {
    auto line = ParseCommandLine({kPluginDirFlag}, 80);
    EXPECT_TRUE(line.ok()) << line.status().message();
    if (line) line_ = *std::move(line);
    line_.options.plugin_dir = DefaultPluginDirectory().string();
  }

  // The row of a setting, without its description.
  static std::vector<std::string> RowOf(const Setting& setting) {
    std::string default_text = cli::TextOf(setting.value);
    if (setting.flag == "plugin-dir") default_text = "../lib/capstan/plugins";
    return {InCode("--" + setting.flag), InCode(default_text), InCode(setting.Key()),
            KcmCell(setting.flag, default_text), ArgoCell(setting)};
  }

  CommandLine line_;
};

TEST_F(FlagsDocTest, TheTableDocumentsEverySetting) {
  auto documented = DocumentedRows(6);
  for (const Setting& setting : SettingsOf(line_.options, line_.catalog.plugins)) {
    const auto row = RowOf(setting);
    auto cells = documented[setting.flag];
    if (!cells.empty()) cells.pop_back();
    EXPECT_EQ(cells, row) << "ROW | " << text::Joined(row, " | ") << " | |";
  }
}

TEST_F(FlagsDocTest, TheTableHasExactlyTheFlagsOfHelp) {
  const auto help = ParseCommandLine({kPluginDirFlag, "--help"}, 80);
  ASSERT_TRUE(help.ok());
  std::set<std::string> flags;
  for (size_t at = 0; (at = help->text.find("--", at)) != std::string::npos; at += 2) {
    // The line of a flag starts with two spaces and its short name, or with as many spaces.
    const size_t line = help->text.rfind('\n', at) + 1;
    if (at - line != 6) continue;
    flags.insert(help->text.substr(at + 2, help->text.find_first_of(" [\n", at) - at - 2));
  }
  std::set<std::string> documented;
  for (const auto& [flag, cells] : DocumentedRows(6)) documented.insert(flag);
  EXPECT_EQ(documented, flags);
}

TEST_F(FlagsDocTest, RefusedFlagsAreDocumentedWithTheReason) {
  std::set<std::string> refused;
  const auto documented = DocumentedRows(2);
  for (const RefusedFlag& flag : RefusedFlags()) {
    refused.insert(std::string(flag.name));
    const auto row = documented.find(std::string(flag.name));
    EXPECT_TRUE(row == documented.end() || row->second[1] == flag.reason) << flag.name;
  }
  for (const auto& [flag, cells] : documented) EXPECT_TRUE(refused.count(flag)) << flag;
  // Flags without their own row are covered by a reason that many flags share.
  std::map<std::string_view, int> reasons;
  for (const RefusedFlag& flag : RefusedFlags()) ++reasons[flag.reason];
  for (const RefusedFlag& flag : RefusedFlags()) {
    EXPECT_TRUE(reasons[flag.reason] > 2 || documented.count(std::string(flag.name))) << flag.name;
  }
}

TEST_F(FlagsDocTest, TheDefaultConfigurationFileIsUpToDate) {
  const std::string file = (kSourceRoot / "config" / "controller-manager.yaml").string();
  const auto text = ReadSmallFile(file);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, ConfigYaml(line_.options, line_.catalog.plugins));
  const auto line = ParseCommandLine({kPluginDirFlag, "--config=" + file}, 80);
  ASSERT_TRUE(line.ok()) << line.status().message();
  Options options = line->options;
  options.plugin_dir = line_.options.plugin_dir;
  EXPECT_TRUE(ChangedSettings(line_.options, options, line_.catalog.plugins).empty());
}

TEST_F(FlagsDocTest, TheExampleConfigurationIsValid) {
  const std::string file = (kSourceRoot / "config" / "controller-manager-example.yaml").string();
  const auto line = ParseCommandLine({kPluginDirFlag, "--config=" + file}, 80);
  ASSERT_TRUE(line.ok()) << line.status().message();
  EXPECT_FALSE(ChangedSettings(line_.options, line->options, line_.catalog.plugins).empty());
}

TEST_F(FlagsDocTest, TheConfigurationInThePageIsValid) {
  std::string yaml;
  bool inside = false;
  for (const std::string& line : LinesOfFile(kSourceRoot / "docs" / "flags.md")) {
    if (line.starts_with("```")) {
      inside = line == "```yaml";
    } else if (inside) {
      yaml += line + "\n";
    }
  }
  auto root = ParseYaml(yaml);
  ASSERT_TRUE(root.ok()) << root.status().message();
  Options options;
  const auto settings = SettingsOf(options, line_.catalog.plugins);
  const auto places = ApplyConfig({"flags.md", *std::move(root)}, settings);
  ASSERT_TRUE(places.ok()) << places.status().message();
  EXPECT_EQ(options.leader_election.lease_duration, std::chrono::seconds(30));
}

}  // namespace
}  // namespace capstan::manager
