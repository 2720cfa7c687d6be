#include "apiserver/print/table.h"

#include <utility>

#include "apiserver/print/table_printer.h"
#include "apiserver/storage/object_fields.h"

namespace capstan::testing::server {
namespace {

using json::Value;

Value DefinitionOf(const TableColumn& column) {
  return Value::Object({{"name", column.name},
                        {"type", column.type},
                        {"format", column.format},
                        {"description", column.description},
                        {"priority", column.priority}});
}

Value Included(const Value& object, std::string_view include) {
  if (include == "None") return {};
  if (include == "Object") return object;
  return PartialObject(object, "meta.k8s.io/v1");
}

}  // namespace

Value PartialObject(const Value& object, std::string_view api_version) {
  Value metadata = object.Get("metadata");
  // apps/v1 adds this annotation; the metadata is that of kube-apiserver's internal version.
  constexpr std::string_view kAdded = "deprecated.daemonset.template.generation";
  if (metadata.Get("annotations").Find(kAdded)) {
    metadata.Mutable("annotations").Erase(kAdded);
    EraseIfEmpty(metadata, "annotations");
  }
  return Value::Object({{"kind", "PartialObjectMetadata"},
                        {"apiVersion", api_version},
                        {"metadata", std::move(metadata)}});
}

TablePrinter PrinterOf(const Resource& resource) {
  if (resource.own_schema) return CustomPrinter(resource.printer_columns);
  TablePrinter printer;
  for (const ColumnFacts& column : resource.columns) {
    printer.columns.push_back({column.name, column.type, "", column.priority, column.format});
  }
  printer.print = resource.columns.empty() ? PrintPlainly : resource.print;
  if (resource.columns.empty()) {
    printer.columns = {{"Name", "string", "", 0, "name"}, {"Created At", "date", ""}};
  }
  return printer;
}

Value TableOf(const Resource& resource, const std::vector<const Value*>& objects,
              const Value& list_metadata, std::string_view include, WallTime now) {
  const TablePrinter printer = PrinterOf(resource);
  Value columns = Value::Array();
  for (const TableColumn& column : printer.columns) columns.Append(DefinitionOf(column));
  Value rows = Value::Array();
  for (const Value* object : objects) {
    TableRow printed = printer.print(*object, now);
    Value row = Value::Object({{"cells", Value::Array(std::move(printed.cells))},
                               {"object", Included(*object, include)}});
    if (!printed.conditions.IsNull()) row.Set("conditions", std::move(printed.conditions));
    rows.Append(std::move(row));
  }
  return Value::Object({{"kind", "Table"},
                        {"apiVersion", "meta.k8s.io/v1"},
                        {"metadata", list_metadata},
                        {"columnDefinitions", std::move(columns)},
                        {"rows", std::move(rows)}});
}

}  // namespace capstan::testing::server
