# The MPIs whose headers and libraries are there, each as an imported target mpi_<name>:
# openmpi and mpich, as Debian keeps them apart. ARMATURE_MPIS lists them. The library itself knows
# no MPI; libarmci-<name> and tests do.
set(ARMATURE_MPIS)

function(armature_find_mpi name library)
  find_path(ARMATURE_${name}_INCLUDE mpi.h NO_DEFAULT_PATH
            PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name}/include
                  /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/${name})
  find_library(ARMATURE_${name}_LIBRARY ${library} NO_DEFAULT_PATH
               PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${name}/lib
                     /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  mark_as_advanced(ARMATURE_${name}_INCLUDE ARMATURE_${name}_LIBRARY)
  if(ARMATURE_${name}_INCLUDE AND ARMATURE_${name}_LIBRARY)
    add_library(mpi_${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(mpi_${name} SYSTEM INTERFACE ${ARMATURE_${name}_INCLUDE})
    target_link_libraries(mpi_${name} INTERFACE ${ARMATURE_${name}_LIBRARY})
    set(ARMATURE_MPIS ${ARMATURE_MPIS} ${name} PARENT_SCOPE)
  endif()
endfunction()

armature_find_mpi(openmpi mpi)
armature_find_mpi(mpich mpich)

# armature_mpi_twin(<name> <source>... PARTS <file>...): the program of examples/<name> by message passing, with each
# MPI that is there: bin/peers/<name>_<mpi>. Sources are of bench/peers/<name>, parts of examples/<name>.
function(armature_mpi_twin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PARTS")
  set(example ${PROJECT_SOURCE_DIR}/examples/${name})
  set(peer ${PROJECT_SOURCE_DIR}/bench/peers/${name})
  list(TRANSFORM arg_PARTS PREPEND ${example}/)
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${peer}/)
  foreach(mpi IN LISTS ARMATURE_MPIS)
    add_executable(peers_${name}_${mpi} ${arg_UNPARSED_ARGUMENTS} ${arg_PARTS}
                   ${PROJECT_SOURCE_DIR}/examples/figures/rows.cpp)
    target_include_directories(peers_${name}_${mpi} PRIVATE ${example} ${peer} ${PROJECT_SOURCE_DIR}/examples)
    target_link_libraries(peers_${name}_${mpi} PRIVATE mpi_${mpi})
    target_compile_definitions(peers_${name}_${mpi} PRIVATE MPI_NAME="${mpi}" OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    set_target_properties(peers_${name}_${mpi} PROPERTIES OUTPUT_NAME ${name}_${mpi} UNITY_BUILD OFF
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/peers)
  endforeach()
endfunction()
