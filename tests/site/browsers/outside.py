"""A proxy that lets nothing through and remembers what was asked of it: all that a browser wants beyond this machine."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Outside:
    """Everything but this machine, while the block runs."""

    def __init__(self) -> None:
        asked = self._asked = []

        class Handler(BaseHTTPRequestHandler):
            def refuse(self) -> None:
                asked.append(self.path)
                self.send_error(403)

            do_GET = do_HEAD = do_POST = do_CONNECT = refuse  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Nothing but the record counts."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_port}"

    def take(self) -> list[str]:
        """What was asked for since the last time."""
        asked = self._asked[:]
        del self._asked[: len(asked)]
        return asked

    def __enter__(self) -> "Outside":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
