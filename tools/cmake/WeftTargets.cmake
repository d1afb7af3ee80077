# How weft's own targets are declared.

# g++ 12 sees overlapping copies in string concatenation that are none.
add_compile_options(-Wall -Wextra -Wno-unused-parameter
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# Every part is a static archive, linked into libweft.so and the programs.
# Unused code goes: MLIR is large.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)
# Optimised programs need no debug sections of LLVM's archives.
add_link_options($<$<CONFIG:Release>:-Wl,--strip-debug>)

# weft_library(NAME sources... [LINK libs...] [DEPENDS targets...])
function(weft_library name)
  cmake_parse_arguments(arg "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# weft_tool(NAME sources... [LINK libs...])
function(weft_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# weft_passes(Title): TableGen of Passes.td in the current folder into
# Passes.h.inc; the target is Weft<Title>PassIncGen.
function(weft_passes title)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc)
  add_custom_command(OUTPUT ${file}
    COMMAND ${MLIR_TABLEGEN_EXE} -gen-pass-decls -name=Weft${title}
            ${CMAKE_CURRENT_SOURCE_DIR}/Passes.td -I ${MLIR_INCLUDE_DIRS}
            -I ${PROJECT_SOURCE_DIR} -o ${file} -d ${file}.d
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/Passes.td DEPFILE ${file}.d VERBATIM)
  add_custom_target(Weft${title}PassIncGen DEPENDS ${file})
endfunction()
