#pragma once

/// All that a plugin's wiring needs beside <capstan/controller.h>.

#include <capstan/plugin/descriptor.h>
#include <capstan/plugin/plugin_context.h>
