"""Applies settings to conversations with LiteLLM's implementation of context editing.

Reads one case a line from the file named by the first argument: {"messages", "system", "edits"}. Writes one answer a
line to the file named by the second: {"applied", "results", "inputs"} with the ids of what was cleared, or {"error"}.
Tokens are counted as characters, and only of what an edit can take away, so that both sides count alike.

Only the package's `context_management` is loaded. What it imports from the rest of the package (types, logging) is
stood in for, because importing that would need dozens of further packages and plays no part in the choice.
"""

import asyncio
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
import types

REAL = "litellm.llms.anthropic.messages.context_management"
MEDIA = 100


def characters(text):
    return len(text)


def of_result(content):
    if isinstance(content, str):
        return characters(content)
    return sum(MEDIA if part.get("type") in ("image", "document") else characters(part.get("text", "")) for part in content or ())


def of_block(block):
    kind = block.get("type")
    if kind == "text":
        return characters(block["text"])
    if kind == "thinking":
        return characters(block["thinking"])
    if kind == "tool_use":
        written = json.dumps(block["input"], separators=(",", ":"), ensure_ascii=False)
        return characters(written) if block["input"] else 0
    if kind == "tool_result":
        return of_result(block.get("content", ""))
    return 0


def token_counter(model="", text=None, messages=None, tools=None):
    if text is not None:
        return characters(text)
    total = 0
    for message in messages or ():
        content = message["content"]
        total += characters(content) if isinstance(content, str) else sum(of_block(block) for block in content)
    return total


class StandIn(types.ModuleType):
    """A module any name of which is a class of no importance."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (dict,), {})


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for every module of the package but those below REAL."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("litellm"):
            return None
        if name.startswith(REAL):
            return importlib.machinery.PathFinder.find_spec(name, path)
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = ["/".join([self.folder, *name.split(".")[1:]])]
        return spec

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        if module.__name__ == "litellm":
            module.token_counter = token_counter
        elif module.__name__ == "litellm._logging":
            module.verbose_logger = types.SimpleNamespace(debug=lambda *a, **k: None, warning=lambda *a, **k: None)
        elif module.__name__ == "litellm.litellm_core_utils.asyncify":
            module.asyncify = in_place
        elif module.__name__ == "litellm.llms.anthropic.messages.convertible_blocks":
            # Acts only where a caller asked for invalid edits to be dropped, which no case does.
            module.drop_non_string_tool_result_texts = lambda messages, drop: messages


def in_place(function):
    async def call(**arguments):
        return function(**arguments)

    return call


def blocks(messages):
    for message in messages:
        if not isinstance(message["content"], str):
            yield from message["content"]


def differences(before, after):
    results, inputs = [], []
    for old, new in zip(blocks(before), blocks(after)):
        if old["type"] == "tool_result" and old.get("content") != new.get("content"):
            results.append(old["tool_use_id"])
        if old["type"] == "tool_use" and old["input"] != new["input"]:
            inputs.append(old["id"])
    return results, inputs


def answer(case, apply):
    try:
        done = asyncio.run(
            apply(
                model="claude-opus-5",
                messages=case["messages"],
                tools=None,
                system=case.get("system"),
                context_management_spec={"edits": case["edits"]},
            )
        )
    except Exception as error:
        return {"error": str(getattr(error, "message", error))}
    results, inputs = differences(case["messages"], done.messages)
    return {"applied": done.applied_edits, "results": results, "inputs": inputs}


def main(source, target):
    folder = importlib.util.find_spec("litellm").submodule_search_locations[0]
    sys.meta_path.insert(0, StandIns(folder))
    from litellm.llms.anthropic.messages.context_management.dispatcher import apply_context_management

    with open(source, encoding="utf-8") as cases, open(target, "w", encoding="utf-8") as answers:
        for line in cases:
            print(json.dumps(answer(json.loads(line), apply_context_management)), file=answers)


main(*sys.argv[1:])
