// The headers that most files include. See capstan_precompile() in CapstanToolchain.cmake.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
