"""Answer calls with the Python that runs this: cases on standard input, answers on standard output."""

import json
import sys

from answer import answer

answers = [answer(*case) for case in json.load(sys.stdin)]
json.dump({"python": sys.version, "answers": answers}, sys.stdout)
