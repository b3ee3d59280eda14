"""Colours as people see them: with all three kinds of cones, and with one of them missing."""

# Full dichromacy, severity 1.0, on linear light: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based
# Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), table of matrices in its supplement.
MISSING = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
# D65, sRGB: IEC 61966-2-1; L*a*b*: CIE 15.
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)
KINDS = ("all cones", *MISSING)


def seen(colour: tuple, kind: str) -> tuple[float, ...]:
    """The linear light that a reader of this ``kind`` sees; "all cones" sees it as it is."""
    linear = tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour))
    return tuple(min(1.0, max(0.0, part)) for part in _times(MISSING[kind], linear)) if kind in MISSING else linear


def distance(one: tuple, other: tuple, kind: str) -> float:
    """How far apart two colours are in L*a*b* for this ``kind`` of reader; about 2 is the least that anyone notices."""
    return sum((a - b) ** 2 for a, b in zip(_lab(seen(one, kind)), _lab(seen(other, kind)), strict=True)) ** 0.5


def _times(matrix: tuple, vector: tuple) -> tuple:
    return tuple(sum(factor * part for factor, part in zip(row, vector, strict=True)) for row in matrix)


def _lab(linear: tuple) -> tuple[float, float, float]:
    x, y, z = (_root(part / white) for part, white in zip(_times(XYZ, linear), WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return value ** (1 / 3) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29
