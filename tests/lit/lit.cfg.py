# lit finds the tests beside this file; lit.site.cfg.py says where the programs are.
import os
import sys

import lit.formats

config.name = "weft"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.weft_lit_out
config.environment["PATH"] = os.pathsep.join(
    [config.weft_bin, config.llvm_bin, config.environment["PATH"]]
)
config.substitutions.append(("%python", sys.executable))
