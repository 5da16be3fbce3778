# Files for pkg-config. They find the prefix from where they are, however deep that is below it.
function(armature_configure_package template package)
  file(RELATIVE_PATH prefix_from_packages /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${template}.pc.in ${package}.pc @ONLY)
endfunction()
