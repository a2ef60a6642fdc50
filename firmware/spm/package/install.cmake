# SPDX-License-Identifier: BSD-3-Clause
# The SPM as a package of sources: which files of it a product needs depends on the product's partitions, level and processor.
include(CMakePackageConfigHelpers)
set(SPM_SHARE share/latlab_spm)
set(SPM_CONFIG share/cmake/latlab_spm)
set(SPM_INCLUDE include/latlab_spm)

install(DIRECTORY arch/armv8m DESTINATION ${SPM_SHARE}/spm/arch)
install(DIRECTORY backend core manifests platform DESTINATION ${SPM_SHARE}/spm
    PATTERN __pycache__ EXCLUDE PATTERN counters.c EXCLUDE PATTERN "prof_*" EXCLUDE PATTERN "non_secure.ld.in" EXCLUDE)
install(FILES image.cmake DESTINATION ${SPM_SHARE}/spm)
install(FILES partitions/sfn_loop.c partitions/sfn_loop.h DESTINATION ${SPM_SHARE}/spm/partitions)
install(FILES ns_interface/rtos.c ns_interface/bare_metal.ld DESTINATION ${SPM_SHARE}/spm/ns_interface)
install(DIRECTORY ns_interface/armv8m DESTINATION ${SPM_SHARE}/spm/ns_interface)
install(FILES ../trace/wire/number.c ../trace/wire/number.h DESTINATION ${SPM_SHARE}/trace/wire)
install(FILES ../../LICENSE DESTINATION ${SPM_SHARE})
install(DIRECTORY include/psa DESTINATION ${SPM_INCLUDE})
install(FILES ns_interface/ns_interface.h DESTINATION ${SPM_INCLUDE})

configure_package_config_file(package/latlab_spm-config.cmake.in latlab_spm-config.cmake
    INSTALL_DESTINATION ${SPM_CONFIG} PATH_VARS SPM_SHARE SPM_INCLUDE NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(latlab_spm-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/latlab_spm-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/latlab_spm-config-version.cmake
    DESTINATION ${SPM_CONFIG})
