"""Serve the lesson on a local address, rebuilt and reloaded when a source changes.

The site is built for the address that it is served at: with another one, instant navigation is silently off.
"""

import os
import socket
import subprocess
import sys

from scripts.build import environment
from scripts.tools import ROOT

HOST = "127.0.0.1"
PREFERRED = 8000
MOST_PORTS = 65_435  # the hundred after it are tried too


def is_free(port: int) -> bool:
    """Whether nobody listens on a port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port(preferred: int = PREFERRED) -> int:
    """The preferred port or the next free one in the hundred after it."""
    for port in range(preferred, preferred + 100):
        if is_free(port):
            return port
    raise OSError(f"no free port from {preferred} to {preferred + 99}")


def main() -> int:
    """Run mkdocs serve until it is interrupted."""
    wanted = os.environ.get("PORT", str(PREFERRED))
    if not wanted.isdecimal() or not 0 < int(wanted) <= MOST_PORTS:
        print(f"serve: PORT must be a number from 1 to {MOST_PORTS}; it is {wanted!r}", file=sys.stderr)
        return 2
    port = free_port(int(wanted))
    address = f"http://{HOST}:{port}/"
    print(f"serve: building the lesson; it will be at {address} (stop with Ctrl-C)", flush=True)
    # Said explicitly: with some versions of click, mkdocs would otherwise not watch any file.
    command = [sys.executable, "-m", "mkdocs", "serve", "--strict", "--livereload", "--dev-addr", f"{HOST}:{port}"]
    try:
        return subprocess.run(command, cwd=ROOT, env=environment(address), check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
