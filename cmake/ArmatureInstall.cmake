# Headers, libraries, the command, find_package(armature), pkg-config files.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armature)

install(DIRECTORY include/armature DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set(libraries armature armature_static)
set(armci_libraries)
if(TARGET armci)
  set(armci_libraries armci armci_static armci_virtual)
  install(FILES ${armci_headers} DESTINATION ${ARMATURE_ARMCI_INCLUDEDIR})
  install(TARGETS ${armci_libraries} EXPORT armature_armci_targets
          LIBRARY DESTINATION ${ARMATURE_ARMCI_LIBDIR}
          ARCHIVE DESTINATION ${ARMATURE_ARMCI_LIBDIR})
endif()
# Programs look at each page of a large frame when they enter the function: then none skips what guards
# a virtual rank's stack.
set(probes $<$<OR:$<COMPILE_LANG_AND_ID:C,GNU,Clang>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-fstack-clash-protection>)
if(PROJECT_IS_TOP_LEVEL)
  set(probes $<INSTALL_INTERFACE:${probes}>)
endif()
foreach(target IN LISTS libraries armci_libraries ITEMS shmem shmem_static caf caf_static armature_arrays)
  target_compile_options(${target} INTERFACE ${probes})
endforeach()
install(TARGETS ${libraries} EXPORT armature_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET armature_malloc)
  install(TARGETS armature_malloc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(engine armature_ucx armature_ofi)
  if(TARGET ${engine})
    install(TARGETS ${engine} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET armature_tool)
  install(FILES src/command/valgrind.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/armature)
  install(TARGETS armature_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET armature_descriptions)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${CMAKE_BINARY_DIR}/share/bash/armature
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${CMAKE_BINARY_DIR}/share/zsh/_armature DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
endif()
if(TARGET armature_bench_ucx)
  install(TARGETS armature_bench_ucx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# All that is installed, and nothing else (`./dev install`).
add_custom_target(installed DEPENDS ${libraries} ${armci_libraries} shmem shmem_static shmem_virtual shmem_bench)
foreach(target armature_ucx armature_ofi armature_malloc armature_tool armature_descriptions armature_bench_ucx caf caf15 caf16
               prif caf_static caf_main armature_arrays)
  if(TARGET ${target})
    add_dependencies(installed ${target})
  endif()
endforeach()
foreach(mpi IN LISTS ARMATURE_MPIS)
  if(TARGET armci_${mpi})
    add_dependencies(installed armci_${mpi} armci_${mpi}_static)
  endif()
endforeach()

install(EXPORT armature_targets NAMESPACE armature:: FILE armature-targets.cmake
        DESTINATION ${config_dir})
# Each interface has a file of its own: a package of it may not be there.
foreach(interface armci shmem caf arrays)
  if(NOT interface STREQUAL armci OR TARGET armci)
    install(EXPORT armature_${interface}_targets NAMESPACE armature:: FILE armature-${interface}-targets.cmake
            DESTINATION ${config_dir})
  endif()
endforeach()
configure_package_config_file(cmake/armature-config.cmake.in armature-config.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(armature-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/armature-config.cmake
              ${CMAKE_BINARY_DIR}/armature-config-version.cmake DESTINATION ${config_dir})

# The compiler wrapper, for the build's folders and for the installed ones.
set(static_libraries "-lfmt -lboost_context -lzstd -lpthread -ldl -lm")
foreach(place build install)
  set(lib ../lib)
  set(folder ${CMAKE_BINARY_DIR}/bin)
  file(RELATIVE_PATH include ${folder} ${PROJECT_SOURCE_DIR}/include)
  if(place STREQUAL install)
    file(RELATIVE_PATH lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    file(RELATIVE_PATH include ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(folder ${CMAKE_BINARY_DIR}/install)
  endif()
  configure_file(cmake/armature-c++.sh.in ${folder}/armature-c++ @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
install(PROGRAMS ${CMAKE_BINARY_DIR}/install/armature-c++ DESTINATION ${CMAKE_INSTALL_BINDIR})

set(packages armature)
if(TARGET armci)
  list(APPEND packages armci armci-virtual)
endif()
foreach(package IN LISTS packages)
  armature_configure_package(${package} ${package})
  install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
