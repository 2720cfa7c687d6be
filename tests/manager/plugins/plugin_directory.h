#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "support/paths.h"
#include "support/temp_folder.h"

namespace capstan::manager {

// A directory of plugins that is removed after the test.
class PluginDirectory {
 public:
  const std::filesystem::path& path() const { return path_; }

  // Copies a library of tests/bad_plugins. `name` has no ".so".
  std::filesystem::path Add(const std::string& name) { return AddAs(name, name); }
  std::filesystem::path AddAs(const std::string& name, const std::string& as) {
    auto file = path_ / (as + ".so");
    std::filesystem::copy_file(std::filesystem::path(tests::BadPluginFolder()) / (name + ".so"),
                               file);
    std::filesystem::permissions(file, std::filesystem::perms(0755));
    return file;
  }
  std::filesystem::path Write(const std::string& name, const std::string& content) {
    auto file = path_ / (name + ".so");
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  const TempFolder folder_;
  const std::filesystem::path path_ = folder_.path();
};

}  // namespace capstan::manager
