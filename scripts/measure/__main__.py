"""`python -m scripts.measure COMMAND`: measure, collect, compare, plan."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from .asked import DEFAULT_OUT
from .errors import RefusalError
from .suites import SUITES, modules

COLLECTED = Path("docs/measured")
ABOUT = """Measure what PyTorch really holds, sends and waits for, and hold the model to it.

  run      measures, one record a case; stop it whenever you like, and run it again: what is recorded is skipped
  collect  merges records into docs/measured/, which the site and `compare` read
  compare  prints the model's figure beside each measured one, and fails where they differ by more than they may
  plan     lists what `run` would measure, how long it takes and what it needs (works without torch)

Start with:
  python -m scripts.measure run                       everything that this machine can
  torchrun --standalone --nproc-per-node 8 -m scripts.measure run --suite gpu
                                                      one node with 8 GPUs
Several nodes, SLURM, and how to add your own records: scripts/measure/README.md."""
CODES = """exit codes: 0 fine; 1 a case failed, or a figure is outside its tolerance; 2 wrong use, bad input, or a number of ranks
that does not divide; 3 this machine cannot (no torch, no GPU, too little memory). torchrun itself knows only 0 and 1."""


def parser() -> ArgumentParser:
    """What the command line may hold."""
    common = {"formatter_class": RawDescriptionHelpFormatter, "epilog": CODES}
    top = ArgumentParser("python -m scripts.measure", description=ABOUT, **common)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    suites = "the suites:\n" + "\n".join(f"  {name:8} {text}" for name, text in SUITES.items())

    def command(name: str, text: str, more: str = "") -> ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.\n\n{more}", **common)

    run = command("run", "measure a suite, one record a case", suites)
    plan = command("plan", "list what `run` would measure", suites)
    for one in (run, plan):
        one.add_argument("--suite", choices=SUITES, help="what to measure (without it: all that this machine can)")
        one.add_argument(
            "--world", type=int, metavar="N", help="how many ranks; torchrun sets it where it started this"
        )
        one.add_argument("--out", type=Path, default=DEFAULT_OUT, metavar="DIR", help="where records go (%(default)s)")
        one.add_argument(
            "--only", choices=list(modules()), action="append", default=[], help="this kind; may be repeated"
        )
        one.add_argument(
            "--match", default="", metavar="TEXT", help="only cases with this in their name, as `plan` has it"
        )
        one.add_argument("--device", choices=("cpu", "cuda"), help="cpu rehearses a suite for GPUs on the processor")
    run.add_argument("--minutes", type=float, metavar="B", help="start no case that would end later than in B minutes")
    run.add_argument("--skip", action="append", default=[], metavar="KEY", help="leave out the case with this key")
    collect = command("collect", "merge records into docs/measured/")
    collect.add_argument("records", nargs="*", type=Path, default=[DEFAULT_OUT], help=f"directories ({DEFAULT_OUT})")
    collect.add_argument("--into", type=Path, default=COLLECTED, metavar="DIR", help="where to (%(default)s)")
    compare = command("compare", "print the model beside what was measured; worst first")
    compare.add_argument("--records", type=Path, default=COLLECTED, metavar="DIR", help="which records (%(default)s)")
    compare.add_argument("--rows", type=int, default=20, metavar="N", help="how many that agree to print (%(default)s)")
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run the command that was asked for."""
    told = parser().parse_args(arguments)
    from . import collect, compare, plan, run

    commands = {"run": run.run, "collect": collect.collect, "compare": compare.compare, "plan": plan.plan}
    try:
        return commands[told.command](told)
    except RefusalError as stop:
        print(f"{told.command}: {stop}", file=sys.stderr)
        return stop.code
    except KeyboardInterrupt:
        print(
            f"\n{told.command}: stopped; what is recorded stays, and the next run goes on from there", file=sys.stderr
        )
        return 130


if __name__ == "__main__":
    sys.exit(main())
