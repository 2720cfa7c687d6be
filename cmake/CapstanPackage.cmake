# `./dev package`: a Debian package and a tarball of all that is installed.

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME capstan)
set(CPACK_PACKAGE_VENDOR Capstan)
set(CPACK_PACKAGE_FILE_NAME "capstan-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_CONTACT "Capstan maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Kubernetes controller manager whose controllers are plugins")
set(CPACK_PACKAGE_DESCRIPTION
    "The manager with the Deployment and ReplicaSet controllers, the operator's command, a playground
cluster in one process, and the SDK with its testing library for controllers of one's own.")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")

# dpkg-shlibdeps finds the packages of the libraries; those of Capstan are in the package.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
# What Capstan::testing is linked with.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libboost-context-dev, libre2-dev, libyaml-cpp-dev")

include(CPack)
