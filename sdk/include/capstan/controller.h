#pragma once

/// Includes every header that a controller needs.

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>
#include <capstan/cache/lister.h>
#include <capstan/cache/pending_statuses.h>
#include <capstan/client/client.h>
#include <capstan/controller/conditions.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/ownership.h>
#include <capstan/controller/pods.h>
#include <capstan/controller/reconciler.h>
#include <capstan/controller/replicas.h>
#include <capstan/controller/status_writer.h>
#include <capstan/controller/write_budget.h>
#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/status.h>
