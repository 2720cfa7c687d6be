// The tables of custom resources.

#include <cmath>
#include <string>
#include <utility>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/json_path.h"
#include "apiserver/print/table_printer.h"

namespace capstan::testing::server {
namespace {

using json::Value;

struct CustomColumn {
  std::string type;
  std::string path;
};

Value IntegerCell(const Value& value) {
  if (value.IsInteger()) return value;
  // Larger doubles do not fit the API's integers.
  constexpr double kLimit = 9.2e18;
  const double number = value.AsDouble();
  if (!value.IsNumber() || !(std::fabs(number) < kLimit)) return {};
  return static_cast<int64_t>(number);
}

std::string TextOf(const Value& value) {
  return value.IsString() ? value.AsString() : json::ToJson(value);
}

Value CellOf(const Value& object, const CustomColumn& column, WallTime now) {
  const auto found = FindPath(object, column.path);
  if (!found || found->empty()) return {};
  const Value& value = *found->front();
  if (column.type == "string") return TextOf(value);
  if (column.type == "integer") return IntegerCell(value);
  if (column.type == "number") return value.IsNumber() ? value : Value();
  if (column.type == "boolean") return value.IsBool() ? value : Value();
  if (column.type != "date" || !value.IsString()) return {};
  std::string age = AgeOf(value, now);
  return age == "<unknown>" && !value.IsEmpty() ? Value("<invalid>") : Value(std::move(age));
}

constexpr char kCreated[] = ".metadata.creationTimestamp";

}  // namespace

TablePrinter CustomPrinter(const Value& printer_columns) {
  TablePrinter printer;
  std::vector<CustomColumn> columns;
  printer.columns.push_back(TableColumn{"Name", "string", "The object's name.", 0, "name"});
  if (printer_columns.items().empty()) {
    TableColumn age{"Age", "string", "How long ago it was created."};
    age.type = "date";
    printer.columns.push_back(std::move(age));
    columns.push_back({"date", kCreated});
  }
  for (const Value& column : printer_columns.items()) {
    const std::string& path = column.Get("jsonPath").AsString();
    const Value& description = column.Get("description");
    printer.columns.push_back(
        {column.Get("name").AsString(), column.Get("type").AsString(),
         description.IsEmpty() ? "Custom resource definition column (in JSONPath format): " + path
                               : description.AsString(),
         static_cast<int>(column.Get("priority").AsInteger()), column.Get("format").AsString()});
    columns.push_back({column.Get("type").AsString(), path});
  }
  printer.print = [columns = std::move(columns)](const Value& object, WallTime now) {
    TableRow row{{object.Get("metadata", "name")}};
    for (const CustomColumn& column : columns) row.cells.push_back(CellOf(object, column, now));
    return row;
  };
  return printer;
}

}  // namespace capstan::testing::server
