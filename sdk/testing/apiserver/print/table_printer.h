#pragma once

/// The tables of resources: their columns, and the function that prints an object's row (rows.h).

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
  int priority = 0;  ///< above 0: shown only with -o wide
  std::string format = {};
};

struct TablePrinter {
  std::vector<TableColumn> columns;
  std::function<TableRow(const json::Value& object, WallTime now)> print;
};

/// Returns the table printer of a resource.
TablePrinter PrinterOf(const Resource& resource);
/// Returns the printer of a custom resource: Name and the additionalPrinterColumns of its
/// definition, or Name and Age if it has none.
TablePrinter CustomPrinter(const json::Value& printer_columns);

}  // namespace capstan::testing::server
