"""The one public input, a plan, and the one public output, a report: JSON objects that other tools rely on."""

from .counted import Counted, counted_report, parameter_count
from .errors import Invalid, shown, unknown_field
from .models import Model, described_model
from .reading import check_carried
from .report import training_report
from .schema import SECTIONS, read_section
from .training import Training


def memory_report(given: object) -> dict:
    """What each pipeline stage keeps on its largest rank, against the card: the report of ``memory``.

    ``given``: a plan as JSON. Bytes are integers. Raises ``Invalid`` with the path of the first wrong field.
    """
    plan = read_plan(given)
    return counted_report(plan) if isinstance(plan, Counted) else training_report(plan)


def read_plan(given: object) -> Counted | Training:
    """Reads a plan. Raises ``Invalid`` with the path of the first wrong field and what to change."""
    model, sections = read_fields(given)
    if isinstance(model, Model):
        return Training.from_sections(model, sections, given)
    return Counted.from_sections(model, sections, given)


def read_fields(given: object) -> tuple[Model | int, dict]:
    """A plan's model, or its number of parameters, and its sections, each field checked by itself alone.

    Raises ``Invalid`` with the path of the first wrong field.
    """
    if not isinstance(given, dict):
        raise Invalid("plan", "wrong_type", {"value": shown(given)}, f"it must be a JSON object, not {shown(given)}")
    known = ("model", *SECTIONS)
    for key in given:
        if key not in known:
            raise unknown_field(key, known)
    for key in ("model", "cluster"):
        if key not in given:
            raise Invalid(key, "missing_field", {}, "it is required; add it to the plan")
    model = given["model"]
    parameters = parameter_count(model) if isinstance(model, dict) and "params" in model else None
    sections = {name: read_section(name, given.get(name, {})) for name in SECTIONS}
    if parameters is not None:
        return parameters, sections
    described = described_model(model, "model")
    check_carried(model, "model")  # the report repeats it, with the fields that were ignored
    return described, sections
