"""Builders of plain Plotly figures. A series has a role, never a colour: the page's theme gives roles their look."""


def bars(role: str, label: str, *, x: list, y: list, meta: dict | None = None, **more: object) -> dict:
    """One series of bars. ``x`` and ``y``: positions and lengths in data units, one pair a bar."""
    return {
        "type": "bar",
        "name": label,
        "x": x,
        "y": y,
        "showlegend": False,
        "hoverinfo": "text",
        "meta": {"role": role, **(meta or {})},
        **more,
    }


def blocks(role: str, label: str, *, boxes: list[tuple[float, float, float, float]], **more: object) -> dict:
    """Rectangles, each (left, bottom, width, height) in data units, drawn as bars that stand on their own base."""
    return bars(
        role,
        label,
        x=[left + width / 2 for left, _, width, _ in boxes],
        y=[height for *_, height in boxes],
        base=[bottom for _, bottom, _, _ in boxes],
        width=[width for _, _, width, _ in boxes],
        textposition="inside",
        insidetextanchor="middle",
        **more,
    )


def line(role: str, label: str, *, x: list, y: list, text: list[str] | None = None, **more: object) -> dict:
    """A line through the points (x, y), labelled in place where ``text`` has a word for a point."""
    return {
        "type": "scatter",
        "mode": "lines+text" if text else "lines",
        "name": label,
        "x": x,
        "y": y,
        "text": text or [],
        "showlegend": False,
        "hoverinfo": "skip",
        "cliponaxis": False,
        "meta": {"role": role},
        **more,
    }


def labels(*, x: list, y: list, text: list[str], **more: object) -> dict:
    """Words placed at the points (x, y), in the chart's own ink."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": x,
        "y": y,
        "text": text,
        "showlegend": False,
        "hoverinfo": "skip",
        "cliponaxis": False,
        "meta": {"role": "label"},
        **more,
    }


def hidden_axis(*, least: float, most: float, **more: object) -> dict:
    """An axis that only places things: no line, no ticks, a fixed range."""
    return {"range": [least, most], "visible": False, "fixedrange": True, **more}


def layout(*, height: int, height_narrow: int | None = None, **more: object) -> dict:
    """The frame shared by all charts: no title inside the picture, nothing that drags, heights for wide and narrow."""
    return {
        "meta": {"height": height, "height_narrow": height_narrow or height},
        "dragmode": False,
        "showlegend": False,
        "barmode": "overlay",
        "hovermode": "closest",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        **more,
    }
