#pragma once

// What the tables of kubectl say of an object, kind by kind. The columns themselves are facts
// (schema/facts.h); a row has a cell for each of them.

#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/clock.h>

#include "json/value.h"

namespace capstan::testing::server {

struct TableRow {
  std::vector<json::Value> cells;
  json::Value conditions = {};  // null = none
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
TableRow PrintReplicaSet(const json::Value& object, WallTime now);
TableRow PrintResourceQuota(const json::Value& object, WallTime now);
TableRow PrintSecret(const json::Value& object, WallTime now);
TableRow PrintService(const json::Value& object, WallTime now);
TableRow PrintServiceAccount(const json::Value& object, WallTime now);
TableRow PrintStatefulSet(const json::Value& object, WallTime now);
TableRow PrintVolumeClaim(const json::Value& object, WallTime now);
/// Name and creation time: of kinds without a row of their own.
TableRow PrintPlainly(const json::Value& object, WallTime now);

// Cells that several kinds have.

const json::Value& NameOf(const json::Value& object);
std::string AgeOfObject(const json::Value& object, WallTime now);
/// "a,b"
std::string Joined(const std::vector<std::string>& texts);
/// `text`, or `other` when it is empty.
json::Value Or(const json::Value& text, std::string_view other);
/// Null is 0.
json::Value Number(const json::Value& value);
/// "app=web,tier=front", in the order of the keys.
std::string LabelsText(const json::Value& labels);
/// Names and images of the containers of a pod template.
std::pair<std::string, std::string> ContainerCells(const json::Value& pod_template);
/// The first `most` of `texts`: "a,b,c + 2 more...".
std::string FirstOf(const std::vector<std::string>& texts, size_t most, std::string_view separator);

}  // namespace capstan::testing::server
