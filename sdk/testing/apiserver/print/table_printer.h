#pragma once

// Which columns the table of a kind has and what is in them.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "apiserver/schema/resource.h"
#include "json/value.h"

namespace capstan::testing::server {

struct TableColumn {
  std::string name;
  std::string type;
  std::string description;
  int priority = 0;  // over 0: only with -o wide
  std::string format = {};
};

struct TableRow {
  std::vector<json::Value> cells;
  json::Value conditions = {};  // null = none
};

struct TablePrinter {
  std::vector<TableColumn> columns;
  std::function<TableRow(const json::Value& object, WallTime now)> print;
};

TableColumn NameColumn();
TableColumn AgeColumn();

// The printer of a built-in kind, or nothing when it has none of its own.
std::optional<TablePrinter> BuiltInPrinter(std::string_view group, std::string_view kind);
// Name, and the columns that a definition names (its additionalPrinterColumns); Name and Age when
// it names none.
TablePrinter CustomPrinter(const json::Value& printer_columns);
// Name and creation time.
TablePrinter PlainPrinter();
TablePrinter PodPrinter();

}  // namespace capstan::testing::server
