"""A chat without tools, in this process: how models sit at a table of `parlour_verifiers`.

The harness `null`, which comes with verifiers, starts a program with `uv` for each answer.
"""

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

_TLS = httpx.create_ssl_context()  # made once: that takes longer than a turn


class ParlourChat(vf.Harness[vf.HarnessConfig]):
    """Asks the model for one answer to the conversation so far."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the conversation to the endpoint, which records the answer in the trace."""
        system, prompt = self.resolve_prompt(data)
        said = [message_to_wire(message) for message in prompt or []]
        messages = [{"role": "system", "content": system}, *said] if system else said
        headers = {"Authorization": f"Bearer {secret}"}
        shared = {"verify": _TLS, "trust_env": False, "timeout": None}
        async with httpx.AsyncClient(headers=headers, **shared) as client:
            asked = {"model": ctx.model, "messages": messages}
            answer = await client.post(f"{endpoint}/chat/completions", json=asked)
        return vf.ProgramResult(int(answer.is_error), answer.text, "")
