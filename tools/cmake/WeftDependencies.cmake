# What weft builds against. The CUDA driver and NVRTC are opened at run time;
# only NVRTC's and the driver's headers are needed here.

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEFT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${WEFT_CCACHE})
endif()

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
# LLVM is built with assertions off and NDEBUG decides the layout of some of its
# classes: follow it in every configuration.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(WEFT_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${WEFT_LLVM_DEFINITIONS})
set(MLIR_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Debian's MLIR archives name the LLVM shared library in their link interface.
# Host processes carry an LLVM of their own, so weft links the few static
# components it needs instead.
llvm_map_components_to_libnames(WEFT_LLVM_COMPONENTS
  support core targetparser bitwriter bitreader asmparser remarks)
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${target})
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      get_target_property(interface ${target} INTERFACE_LINK_LIBRARIES)
      if(interface)
        list(TRANSFORM interface REPLACE "^LLVM$" "${WEFT_LLVM_COMPONENTS}")
        list(TRANSFORM interface REPLACE "^\\$<LINK_ONLY:LLVM>$" "${WEFT_LLVM_COMPONENTS}")
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")
      endif()
    endif()
  endif()
endforeach()

# The same for what LLVM itself names: its optional solver is not used, and the
# compression libraries go in statically, so that programs run on any machine.
get_target_property(interface LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER interface EXCLUDE REGEX "z3|Z3")
find_library(WEFT_LIBZ_STATIC libz.a REQUIRED)
find_library(WEFT_LIBZSTD_STATIC libzstd.a REQUIRED)
list(TRANSFORM interface REPLACE "^ZLIB::ZLIB$|.*/libz\\.so$" "${WEFT_LIBZ_STATIC}")
list(TRANSFORM interface REPLACE "^zstd::libzstd_shared$|.*/libzstd\\.so$" "${WEFT_LIBZSTD_STATIC}")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")

find_package(CUDAToolkit 12.4)
if(NOT CUDAToolkit_FOUND)
  message(FATAL_ERROR "weft needs the CUDA Toolkit, 12.4 or newer (headers and NVRTC; no GPU).\n"
    "Install it from https://developer.nvidia.com/cuda-downloads and name its folder with\n"
    "-DCUDAToolkit_ROOT=/usr/local/cuda if it is elsewhere.")
endif()

find_program(WEFT_FLATC flatc REQUIRED)
find_package(Threads REQUIRED)

set(WEFT_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")
if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()
