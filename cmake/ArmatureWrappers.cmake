# Scripts that compile and start programs of an interface of compat/, in a prefix of the interface's own, since others
# have scripts of the same names.

set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Configures a script for the build's folder <build>/<interface>/bin and for the installed one,
# <prefix>/lib/armature-<interface>/bin. From where it lies a script finds the folders @bin@, @lib@ and @include@. Other
# variables are the caller's; @wrapper@ is the script's name.
function(armature_add_wrapper interface wrapper template)
  set(folder ${CMAKE_BINARY_DIR}/${interface}/bin)
  set(bin ../../bin)
  set(lib ../../lib)
  set(include ../include)
  configure_file(${template} ${folder}/${wrapper} @ONLY FILE_PERMISSIONS ${executable})

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/install)
  # The folder of libraries may lie deeper than one below the prefix.
  set(installed ${CMAKE_INSTALL_LIBDIR}/armature-${interface}/bin)
  file(RELATIVE_PATH bin /prefix/${installed} /prefix/${CMAKE_INSTALL_BINDIR})
  set(lib ../..)
  file(RELATIVE_PATH include /prefix/${installed} /prefix/${CMAKE_INSTALL_INCLUDEDIR}/armature-${interface})
  configure_file(${template} ${folder}/${wrapper} @ONLY FILE_PERMISSIONS ${executable})
  install(PROGRAMS ${folder}/${wrapper} DESTINATION ${installed})
endfunction()
