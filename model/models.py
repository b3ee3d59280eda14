"""A model by its name, by its config.json, or by its shape in the neutral form: the ways a plan may say it."""

from dataclasses import dataclass, field
from difflib import get_close_matches

from .architecture import Architecture
from .catalog import MEGATRON_PAPER, Source
from .config import Config, read_config
from .errors import Invalid, plain, shown
from .parameters import check_size
from .published import ALIASES, NEUTRAL, TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A model of the catalogue: the fields that say its shape, as ``config.json`` or in the neutral form."""

    name: str
    config: dict
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model as asked for: its shape, its name if it has one, and fields that were given but say nothing of it."""

    architecture: Architecture
    ignored: tuple[str, ...] = ()
    defaulted: dict = field(default_factory=dict)  # what the config leaves out and its family's defaults fill in
    name: str | None = None
    source: Source | None = None


def _published() -> dict[str, Published]:
    found = {}
    for family, columns, shared, rows in TABLE:
        for hub_name, *values in rows:
            name = hub_name.rpartition("/")[2].lower()
            source = Source(
                title=f"{hub_name}: config.json",
                url=f"https://huggingface.co/{hub_name}/blob/main/config.json",
                what="the shape of the model",
            )
            config = {"model_type": family, **shared, **dict(zip(columns, values, strict=True))}
            found[name] = Published(name=name, config=config, source=source)
    for name, shape in NEUTRAL.items():
        found[name] = Published(name=name, config={"architecture": shape}, source=MEGATRON_PAPER)
    return found


MODELS = _published()


def model_named(name: str, path: str = "model") -> Model:
    """A model of the catalogue; raises ``Invalid`` with the nearest names for one that is not there."""
    published = MODELS.get(ALIASES.get(name, name))
    if published is None:
        near = get_close_matches(name[:80].rpartition("/")[2].lower(), [*MODELS, *ALIASES], n=3)
        other = "config.json of a known family will do as well"
        ending = f"did you mean {' or '.join(near)}? A {other}" if near else f"a {other}"
        message = f"{shown(name)} is not in the catalogue; {ending}"
        raise Invalid(path, "unknown_value", {"value": shown(name), "allowed": list(MODELS)}, message)
    described = described_model(published.config, path)
    return Model(architecture=described.architecture, name=published.name, source=published.source)


def described_model(given: object, path: str = "") -> Model:
    """A model from a catalogue name, a ``config.json`` object, or ``{"architecture": {...}}`` in the neutral form.

    ``path`` is where it stands in what was sent, for errors. Raises ``Invalid``.
    """
    if isinstance(given, str):
        return model_named(given, path)
    if isinstance(given, dict) and "architecture" in given and "model_type" not in given:
        for key in given:
            if key != "architecture":
                message = "beside architecture there are no other fields"
                raise Invalid(plain(f"{path}.{key}" if path else key), "unknown_field", {}, message)
        inner = f"{path}.architecture" if path else "architecture"
        read = Config(Architecture.from_neutral(given["architecture"], inner), (), {})
    elif isinstance(given, dict):
        read = read_config(given, path)
    else:
        message = f"it must be a model's name, a config.json object or an architecture, not {shown(given)}"
        raise Invalid(path or "model", "wrong_type", {"value": shown(given)}, message)
    check_size(read.architecture, path or "model")
    return Model(**read._asdict())
