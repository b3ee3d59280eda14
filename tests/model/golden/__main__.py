"""``make golden``: write the golden table anew, and say what moved."""

import sys

from .table import TABLE, moved, text


def main() -> int:
    """Writes the table; prints every figure that moved."""
    old, new = TABLE.read_text("utf-8") if TABLE.exists() else "", text()
    TABLE.write_text(new, "utf-8")
    print("\n".join(moved(old, new)) or "golden: nothing moved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
