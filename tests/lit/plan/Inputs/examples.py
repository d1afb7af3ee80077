"""Prints the mlir blocks of a Markdown page, split as -split-input-file wants."""

import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"^```mlir\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
sys.stdout.write("\n// -----\n".join(blocks))
