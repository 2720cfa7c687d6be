#include "fact_table.h"

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "support/paths.h"

namespace capstan::tests {
namespace {

const char* const kFactFile = "sdk/testing/apiserver/schema/facts/kubernetes-1.36.txt";

// The type of a field with its package name, which the table omits within a package.
std::string QualifiedType(const std::string& type, const std::string& package) {
  static const std::set<std::string> kScalars = {"string",    "bool",     "int32",       "int64",
                                                 "double",    "quantity", "intOrString", "time",
                                                 "microtime", "duration", "bytes",       "any"};
  const size_t element = type.rfind(']') + 1;  // position after "[]" and "map[string]", or 0
  const std::string name = type.substr(element);
  if (kScalars.contains(name) || name.find('.') != std::string::npos) return type;
  return type.substr(0, element) + package + "." + name;
}

}  // namespace

const FactTable& FactTable::Get() {
  static const FactTable* const table = [] {
    auto* read = new FactTable;
    std::ifstream file(RepositoryFolder() / kFactFile);
    if (!file) throw std::runtime_error(std::string("cannot read ") + kFactFile);
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream text(line);
      std::vector<std::string> words;
      for (std::string word; text >> word;) words.push_back(word);
      read->Read(words, line[0] == ' ');
    }
    return read;
  }();
  return *table;
}

void FactTable::Read(const std::vector<std::string>& words, bool is_field) {
  if (words[0] == "resource" && !is_field) {
    resources_[words.at(1) + " " + words.at(2)] = {words.at(3), words.at(4) == "namespaced"};
  } else if (words[0] == "package" && !is_field) {
    package_ = words.at(1);
  } else if (!is_field) {
    const std::string name = package_ + "." + words.at(1);
    current_ = &types_[name];
    current_->is_kind = words[0] == "kind";
    if (current_->is_kind) kinds_[words.at(2) + " " + words[1]] = name;
  } else if (current_) {
    FieldFact field;
    field.type = QualifiedType(words.at(1), package_);
    const std::string& number = words.at(2);
    const size_t dot = number.find('.');
    if (number != "-") {
      const auto last = dot == std::string::npos ? number : number.substr(dot + 1);
      field.number = static_cast<uint16_t>(std::stoi(last));
      if (dot != std::string::npos) field.within = static_cast<uint16_t>(std::stoi(number));
    }
    if (words.size() > 3 && (words[3] == "omit" || words[3] == "always" || words[3] == "null")) {
      field.presence = words[3];
    }
    current_->fields[words[0]] = field;
  }
}

const TypeFact* FactTable::FindType(std::string_view type) const {
  const auto found = types_.find(type);
  return found == types_.end() ? nullptr : &found->second;
}

std::string FactTable::TypeOfKind(const std::string& api_version, const std::string& kind) const {
  const auto found = kinds_.find(api_version + " " + kind);
  return found == kinds_.end() ? "" : found->second;
}

const ResourceFact* FactTable::FindResource(std::string_view resource) const {
  const auto found = resources_.find(resource);
  return found == resources_.end() ? nullptr : &found->second;
}

}  // namespace capstan::tests
