"""The command line: ``python -m model COMMAND``. Prints a table for people, or JSON for other tools."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Generator
from functools import partial

from . import (
    __version__,
    collective_command,
    memory_command,
    params_command,
    schedule_command,
    search_command,
    solve_command,
    step_command,
)
from .arguments import Parser
from .errors import Invalid

EXITS = {
    0: "answered",
    1: "a list was answered, but not all of it: each wrong item has its error in its place",
    2: 'the input cannot be answered: one line on standard error names the field; --json prints {"error": ...} as well',
    130: "stopped with Ctrl-C: one line on standard error says so",
}
UPDATES = 500  # of the line on a terminal
USAGE = """\
Answers what one GPU holds when training is split over many.

A plan is one JSON object. The smallest one:
  {"model": {"params": 7.5e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}}
Shard the optimizer state over the GPUs by adding
  "layout": {"zero": 1}
With a model's name, or its config.json, the answer has activations, logits, buffers and overhead too:
  {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
   "layout": {"zero": 3}, "recipe": {"preset": "fsdp2"}, "batch": {"seq": 8192}, "activation": {"recompute": "full"}}
Without a layout, search finds all that fit and ranks them by the time of a step.
A file that holds a list of plans gives a list of reports in the same order.

These need no plan:
  params llama-3.1-8b
  schedule --kind 1f1b --stages 4 --micro-batches 8
  collective all-reduce --bytes 1e9 --ranks 8 --link nvlink4

COMMAND --help says what each takes and prints; memory --help lists every field of a plan.
- as PLAN.json or MODEL reads standard input.
"""
COMMANDS = (
    memory_command,
    step_command,
    search_command,
    solve_command,
    params_command,
    schedule_command,
    collective_command,
)


def main(argv: list[str] | None = None) -> int:
    """Runs one command; returns the exit status, one of ``EXITS``.

    A reader that closes the pipe early, such as ``head``, has what it wanted: 0, and no word about it.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # what Python makes of one that the caller closed: no words are wanted there
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no µ or × shows a question mark
    try:
        status = _answer(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:  # before OSError, which it is one of
        # What is still unwritten would be written when Python exits, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"{_prog()}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"the answer could not be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


def _answer(arguments: list[str]) -> int:
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
        if options.answer is not None:
            _print(options.answer(options), options)
            return 0
        if options.report is None:  # it depends on what is asked
            options.report = partial(options.asks, question=options.question)
        if options.steps is not None and sys.stderr.isatty():
            options.report = partial(_watched, steps=options.steps, so_far=options.so_far)
        given = options.read(options.given)
        if isinstance(given, list):
            return _print_list(given, options)
        _print(options.report(given), options)
    except Invalid as error:
        print(_line(f"{parser.prog}: {error}"), file=sys.stderr)
        if "--json" in arguments:
            _print_json({"error": error.as_dict()})
        return 2
    return 0


def _prog() -> str:
    return "shardscope" if __package__ == "shardscope" else f"python -m {__package__}"


def _parser() -> Parser:
    prog = _prog()
    exits = "\n".join(f"  {code}  {meaning}" for code, meaning in EXITS.items())
    parser = Parser(prog=prog, description=USAGE, epilog=f"exit status:\n{exits}")
    parser.add_argument("--version", action="version", version=f"shardscope {__version__}", help="print the version")
    parser.set_defaults(prog=prog, answer=None, steps=None)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser


def _watched(given: object, steps: Callable[[object], Generator], so_far: Callable[[object], str]) -> dict:
    """What the steps of a report return at their end; until then one line on standard error says how far they are."""
    going, written = steps(given), ""
    try:
        while True:
            progress = next(going)
            if progress.done % max(1, progress.total // UPDATES) == 0:
                text = so_far(progress)
                print(f"\r{text.ljust(len(written))}", end="", file=sys.stderr, flush=True)
                written = text
    except StopIteration as done:
        return done.value
    finally:
        print(f"\r{' ' * len(written)}\r", end="", file=sys.stderr, flush=True)


def _print_list(given: list, options: argparse.Namespace) -> int:
    answers, wrong = [], 0
    for index, item in enumerate(given):
        try:
            answers.append(options.report(item))
        except Invalid as error:
            wrong = 1
            answers.append({"error": error.as_dict()})
            print(_line(f"{options.prog}: {options.item} {index + 1} of {len(given)}: {error}"), file=sys.stderr)
    if options.json:
        _print_json(answers)
    else:
        for index, answer in enumerate(answers):
            body = "{field}: {message}".format(**answer["error"]) if "error" in answer else options.table(answer)
            print(_shown(f"{options.item} {index + 1} of {len(answers)}\n{body}\n"))
    return wrong


def _line(text: str) -> str:
    return _shown(" ".join(text.splitlines()))


def _shown(text: str) -> str:
    """A text as a terminal may get it: a file's name or a config's field never moves the cursor or colours a line."""
    return "".join(each if each.isprintable() or each in "\n\u00a0" else ascii(each)[1:-1] for each in text)


def _print(report: dict, options: argparse.Namespace) -> None:
    if options.json:
        _print_json(report)
    else:
        print(_shown(options.table(report)))


def _print_json(answer: object) -> None:
    # In ASCII, so that it can be written whatever the terminal's encoding, and whatever a name held.
    print(json.dumps(answer, allow_nan=False))


if __name__ == "__main__":
    sys.exit(main())
