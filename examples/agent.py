"""A small agent that remembers a constraint, a correction, and its progress when it is killed.

The model is scripted, so this runs without a key: it reads its context and follows it, as a real
one would. Replace `ScriptedModel` by yours; the loop stays.

    python examples/agent.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import commonplace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commonplace import Commonplace

WHO = {"user": "ada", "project": "shop"}
TASK = "migration"
GOAL = "Move the shop's database to the new cluster"
PLAN = ["Take a backup", "Copy the users table", "Copy the orders table", "Switch the readers"]
CONSTRAINT = "The primary key of the users table stays as it is"


class Call(NamedTuple):
    """A tool that the model wants to use."""

    tool: str
    arguments: dict[str, str]


class ScriptedModel:
    """Decides only by what it has read in this conversation."""

    def __init__(self, system: str) -> None:
        self._read = system

    def decide(self, message: str) -> Call:
        """The tool for the current step, with arguments from memory."""
        self._read += f"\n{message}"
        step = re.search(r"Step \d+ of \d+: (.+)", message)
        host = re.search(r"staging database is (\w+)", self._read)
        arguments = {"host": host[1] if host else "unknown"}
        if "primary key" in message:
            arguments["primary_key"] = "keep"
        name = step[1].split()[0].lower() if step else "wait"
        return Call(name, arguments)


def run_tool(call: Call) -> str:
    """The result of a tool."""
    told = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    return f"{call.tool} succeeded ({told})"


def converse(book: Commonplace) -> None:
    """First session: the user corrects the agent, and nobody saves the correction."""
    session = book.session("monday")
    book.save("The staging database is db3")
    answer = book.recall("Which database is for staging?")[0].memory.content
    session.add("Which database is for staging?", role="user")
    session.add(answer, role="assistant")
    session.add("Actually, the staging database is db7.", role="user")
    say("monday", f"agent: {answer}. user: actually, db7.")
    kept = session.end()
    for one in kept.corrected:
        say("monday", f"learned at the end: {one.memory.content}")


def work(book: Commonplace) -> Iterator[str]:
    """Second and third session: start or resume the task, and do it step by step."""
    known = {one.id for one in book.tasks()}
    task = (
        book.task(resume=TASK)
        if TASK in known
        else book.task(GOAL, plan=PLAN, constraints=[CONSTRAINT], id=TASK)
    )
    model = ScriptedModel(task.opening.text)
    yield f"{'resumed' if TASK in known else 'began'}: {task.working.goal}"
    while task.working.current:
        prompt = f"Go on with it on the staging database: {task.working.current}"
        message = f"{task.before_model_call(prompt)}\n\n{prompt}"
        call = model.decide(message)
        task.tool_call(call.tool, call.arguments)
        result = run_tool(call)
        task.observe(result, tool=call.tool, importance=0.8 if "users" in prompt else 0.5)
        task.turn_end(result, advance=True)
        yield f"step {task.working.step}: {result}"
    done = task.complete("All tables are on the new cluster.")
    yield f"done: {len(done.promoted)} finding kept, {done.released} entries let go"


def say(session: str, text: str) -> None:
    """Print a line at once, so that a watching process can act on it."""
    sys.stdout.write(f"[{session}] {text}\n")
    sys.stdout.flush()


def killed_half_way(url: str) -> None:
    """Second session, in a process that is killed after its second step."""
    command = [sys.executable, __file__, url, "work"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            if "step 2" in line:
                process.kill()
    say("tuesday", "killed")


def show(book: Commonplace, sessions: Mapping[str, Iterator[str]]) -> None:
    """Run sessions to their end."""
    for name, lines in sessions.items():
        for line in lines:
            say(name, line)
    say("book", book.recall("how did we move the shop's database?")[0].memory.title)


def main(arguments: list[str]) -> None:
    """Run all sessions in a temporary book, or one session in a given book."""
    if arguments[1:] == ["work"]:
        with commonplace.open(arguments[0], context=WHO) as book:
            for line in work(book):
                say("tuesday", line)
        return
    with tempfile.TemporaryDirectory() as folder:
        url = arguments[0] if arguments else f"vault:{Path(folder) / 'book'}"
        with commonplace.open(url, context=WHO) as book:
            converse(book)
            killed_half_way(url)
            show(book, {"wednesday": work(book)})


if __name__ == "__main__":
    main(sys.argv[1:])
