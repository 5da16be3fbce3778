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
