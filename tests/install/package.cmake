# cmake -D CMAKE_INSTALL_LIBDIR=... -P package.cmake: writes armature.pc here, as for that folder.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/ArmaturePackages.cmake)
set(CMAKE_INSTALL_INCLUDEDIR include)
set(PROJECT_VERSION 0)
armature_configure_package(armature armature)
