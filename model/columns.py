"""Plain text tables for the command line."""


def aligned(rows: list[tuple[str, ...]], *, left: int) -> list[str]:
    """Rows as lines of equally wide columns; the first ``left`` columns start at the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
