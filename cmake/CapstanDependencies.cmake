# Third-party libraries. They serve the inside of libcapstan and of the manager: no public header
# names them, so they are never part of the link interface that a plugin sees.

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS SSL Crypto)
find_package(Poco 1.11 REQUIRED COMPONENTS Foundation Net)
find_package(spdlog REQUIRED CONFIG)
find_package(prometheus-cpp REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(RapidJSON REQUIRED CONFIG)
# protozero has headers alone, and no CMake package.
find_path(CAPSTAN_PROTOZERO protozero/varint.hpp REQUIRED)
mark_as_advanced(CAPSTAN_PROTOZERO)
# Debian's RE2 and zstd have no CMake package. They are linked by name, here they are looked for.
find_library(CAPSTAN_RE2 re2 REQUIRED)
find_library(CAPSTAN_ZSTD zstd REQUIRED)
mark_as_advanced(CAPSTAN_RE2 CAPSTAN_ZSTD)

add_library(capstan_third_party INTERFACE)
target_compile_definitions(capstan_third_party INTERFACE BOOST_DLL_USE_STD_FS)
target_link_libraries(
  capstan_third_party
  INTERFACE Poco::Net
            Poco::Foundation
            OpenSSL::SSL
            OpenSSL::Crypto
            spdlog::spdlog
            prometheus-cpp::core
            yaml-cpp
            zstd
            Boost::headers
            Threads::Threads
            ${CMAKE_DL_LIBS})
