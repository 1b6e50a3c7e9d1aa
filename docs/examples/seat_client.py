"""Play at random from a seat of `parlour play` (docs/protocol.md), given the link of that seat:

`python seat_client.py "http://127.0.0.1:8477/#seat=TOKEN"`
"""

import asyncio
import json
import random
import sys
from urllib.parse import parse_qs, urlsplit

import websockets


async def play(link: str) -> list[float]:
    """Play one game from this seat and return the returns of all seats."""
    address = urlsplit(link)
    token = parse_qs(address.fragment)["seat"][0]
    async with websockets.connect(f"ws://{address.netloc}/seat") as socket:
        await socket.send(json.dumps({"type": "sit", "token": token}))
        async for text in socket:
            message = json.loads(text)
            if message["type"] in ("closed", "error"):
                raise RuntimeError(message["text"])
            if message.get("returns") is not None:
                return message["returns"]
            if message.get("legal"):
                act = {"type": "act", "ply": message["ply"], "action": choose(message)}
                await socket.send(json.dumps(act))
    raise RuntimeError("the server closed the connection")


def choose(position: dict) -> str:
    """Return the name of a legal action: replace this by something better."""
    return random.choice(position["legal"])


if __name__ == "__main__":
    print(asyncio.run(play(sys.argv[1])))
