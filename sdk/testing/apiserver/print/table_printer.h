#pragma once

// The tables that kubectl shows: their columns, and what makes a row of an object (rows.h).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "apiserver/print/rows.h"
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

struct TablePrinter {
  std::vector<TableColumn> columns;
  std::function<TableRow(const json::Value& object, WallTime now)> print;
};

// The columns and rows of a resource's objects.
TablePrinter PrinterOf(const Resource& resource);
// Name, and the columns that a definition names (its additionalPrinterColumns); Name and Age when
// it names none.
TablePrinter CustomPrinter(const json::Value& printer_columns);

}  // namespace capstan::testing::server
