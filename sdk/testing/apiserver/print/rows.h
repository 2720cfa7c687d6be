#pragma once

/// Prints the table rows of kubectl for each kind. The columns are facts (schema/facts.h). A row
/// has one cell per column.

#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/clock.h>

#include "json/value.h"

namespace capstan::testing::server {

struct TableRow {
  std::vector<json::Value> cells;
  json::Value conditions = {};  ///< null = none
};

using RowPrinter = TableRow (*)(const json::Value& object, WallTime now);

TableRow PrintCertificateRequest(const json::Value& object, WallTime now);
TableRow PrintConfigMap(const json::Value& object, WallTime now);
TableRow PrintControllerRevision(const json::Value& object, WallTime now);
TableRow PrintCronJob(const json::Value& object, WallTime now);
TableRow PrintDaemonSet(const json::Value& object, WallTime now);
TableRow PrintDeployment(const json::Value& object, WallTime now);
TableRow PrintDisruptionBudget(const json::Value& object, WallTime now);
TableRow PrintEndpoints(const json::Value& object, WallTime now);
TableRow PrintEndpointSlice(const json::Value& object, WallTime now);
TableRow PrintEvent(const json::Value& object, WallTime now);
TableRow PrintAutoscaler(const json::Value& object, WallTime now);
TableRow PrintJob(const json::Value& object, WallTime now);
TableRow PrintLease(const json::Value& object, WallTime now);
TableRow PrintNamespace(const json::Value& object, WallTime now);
TableRow PrintNode(const json::Value& object, WallTime now);
TableRow PrintPod(const json::Value& object, WallTime now);
TableRow PrintScale(const json::Value& object, WallTime now);
TableRow PrintReplicaSet(const json::Value& object, WallTime now);
TableRow PrintResourceQuota(const json::Value& object, WallTime now);
TableRow PrintSecret(const json::Value& object, WallTime now);
TableRow PrintService(const json::Value& object, WallTime now);
TableRow PrintServiceAccount(const json::Value& object, WallTime now);
TableRow PrintStatefulSet(const json::Value& object, WallTime now);
TableRow PrintVolumeClaim(const json::Value& object, WallTime now);
/// Prints name and creation time, for kinds without their own printer.
TableRow PrintPlainly(const json::Value& object, WallTime now);

// Cells that several kinds use.

const json::Value& NameOf(const json::Value& object);
std::string AgeOfObject(const json::Value& object, WallTime now);
/// Returns `text`, or `other` if it is empty.
json::Value Or(const json::Value& text, std::string_view other);
/// Converts null to 0.
json::Value Number(const json::Value& value);
/// Prints labels sorted by key: "app=web,tier=front".
std::string LabelsText(const json::Value& labels);
/// Returns the names and the images of the containers in a pod template.
std::pair<std::string, std::string> ContainerCells(const json::Value& pod_template);
/// Joins the first `most` elements of `texts`: "a,b,c + 2 more...".
std::string FirstOf(const std::vector<std::string>& texts, size_t most, std::string_view separator);

}  // namespace capstan::testing::server
