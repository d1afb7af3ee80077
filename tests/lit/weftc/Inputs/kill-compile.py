"""Kills a compile of a manifest once it has finished something, and sees that the next goes on from there."""
import os
import random
import re
import signal
import subprocess
import sys
import time

manifest, pack = sys.argv[1:]
command = ["weftc", "compile", "--manifest=" + manifest, "--arch=sm_80,sm_86", "--jobs=1", "-o", pack]
part = pack + ".part"

compile = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while compile.poll() is None and not (os.path.exists(part) and os.path.getsize(part) > 0):
    time.sleep(0.01)
# While it runs nobody else may write the same pack.
second = subprocess.run(command, capture_output=True, text=True)
assert "another process is writing" in second.stderr, second.stderr
compile.send_signal(signal.SIGKILL)
compile.wait()
assert os.path.getsize(part) > 0 and not os.path.exists(pack)
# As if it had been killed amid a write.
with open(part, "ab") as file:
    file.write(b"WEFTPACK" + b"\1" * 1000)

# At any other moment too: what is left never stands in the way.
random.seed(int(os.environ.get("WEFT_TEST_SEED", "1")))
for _ in range(4):
    compile = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0, 0.8))
    compile.kill()
    compile.wait()

ran = subprocess.run(command, capture_output=True, text=True, check=True)
counts = re.search(r"\((\d+) compiled, (\d+) reused, 0 failed\)", ran.stdout)
compiled, reused = map(int, counts.groups())
assert reused >= 1 and compiled + reused == 6, ran.stdout
assert not os.path.exists(part)
subprocess.run(["weftc", "inspect", pack], stdout=subprocess.DEVNULL, check=True)
