"""``python -m tests.model.evidence``: how far off the model is, source by source; with a key, row by row, worst first."""

import sys

from .score import Summary
from .sources import EXACT, MEASURED


def by_group(source, rows):
    """(field, value, summary) of the parts that a source is broken down into."""
    for field in source.by:
        for value in sorted({row.row[field] for row in rows}):
            yield field, value, Summary.of([row for row in rows if row.row[field] == value])


def main(keys):
    for source in MEASURED:
        if keys and source.key not in keys:
            continue
        rows = source.rows()
        found = Summary.of(rows)
        print(
            f"{source.key}: {found.rows} rows, median {found.median:.1%}, 90th {found.at_90:.1%}, lean {found.lean:+.1%}, "
            f"worst {found.worst.error:+.1%} {found.worst.name}"
        )
        for broken in source.held.broken(found):
            print(f"  {broken}")
        if keys:
            for field, value, part in by_group(source, rows):
                print(
                    f"  {field} {value}: {part.rows} rows, {part.median:.1%}, {part.at_90:.1%}, lean {part.lean:+.1%}"
                )
            for row in sorted(rows, key=lambda row: -abs(row.error)):
                print(f"  {row.error:+8.1%} {row.measured:.6g} {row.predicted:.6g} {row.name}")
    for source in EXACT if not keys else ():
        matches = list(source.matches())
        print(f"{source.key}: {sum(match.agrees for match in matches)} of {len(matches)}")


if __name__ == "__main__":
    main(sys.argv[1:])
