"""A stand-in for a language model: an endpoint that plays a random legal action by name.

Some of its answers are illegal, at a rate that is part of the model's name: "scripted-0.1".
"""

import hashlib
import json
import random
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LEGAL = re.compile(r"^Legal actions: (.*)$", re.MULTILINE)


def reply_to(messages: list[dict[str, str]], illegal_rate: float) -> str:
    """Answer the last message; the same conversation gets the same answer."""
    said = json.dumps(messages).encode()
    rng = random.Random(hashlib.sha256(said).digest())
    legal = _LEGAL.findall(messages[-1]["content"])
    if not legal or rng.random() < illegal_rate:
        return "I fold, <action>fold</action>."
    return f"Let me think. <action>{rng.choice(legal[-1].split(', '))}</action>"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rate = float(body["model"].rpartition("-")[2])
        message = {"role": "assistant", "content": reply_to(body["messages"], rate)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        data = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    """Serve the stand-in on a free port of this machine; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
