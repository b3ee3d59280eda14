"""Parameters of a model, counted tensor by tensor: the report of ``params``."""

from .architecture import Architecture
from .errors import Invalid
from .tensors import COMPONENTS, all_tensors, parameters

# JSON integers are exact up to 2**53 (RFC 8259, section 6), and a parameter costs at most a few times 64 bytes.
MOST_PARAMETERS = 2**53 // 256


def check_size(shape: Architecture, path: str) -> None:
    """Raises ``Invalid`` for a shape of more than ``MOST_PARAMETERS``, where bytes would not stay exact in JSON."""
    total = parameters(shape)
    if total > MOST_PARAMETERS:
        message = f"the shape has {total:.3g} parameters; at most {MOST_PARAMETERS} are counted in exact bytes"
        raise Invalid(path, "out_of_range", {"value": f"{total:.3g}", "most": MOST_PARAMETERS}, message)


def parameter_report(shape: Architecture, ignored: tuple[str, ...] = (), defaulted: dict | None = None) -> dict:
    """What ``params`` prints.

    ``total``                     every parameter; tied embeddings once, buffers not at all
    ``active``                    those that one token passes through: with experts, only the ones it visits
    ``active_without_embedding``  ``active`` without the component ``embedding``, which is looked up, not multiplied
    ``components``                the same total by what it belongs to
    ``by_tensor``                 {name pattern: {shape, count, parameters}}, one line for each distinct tensor
    ``ignored``                   fields of the config that do not change the shape
    ``defaulted``                 {field that the config leaves out: its family's default}, sizes and what is on
    """
    components = dict.fromkeys(COMPONENTS, 0)
    by_tensor: dict[str, dict] = {}
    active = 0
    for tensor, layers in all_tensors(shape):
        count = tensor.copies * layers
        line = by_tensor.setdefault(tensor.name, {"shape": list(tensor.shape), "count": 0, "parameters": 0})
        line["count"] += count
        line["parameters"] += tensor.elements * count
        components[tensor.component] += tensor.elements * count
        active += tensor.elements * tensor.used * layers
    total = sum(components.values())
    return {
        "total": total,
        "active": active,
        "active_without_embedding": active - components["embedding"],
        "components": components,
        "by_tensor": by_tensor,
        "ignored": list(ignored),
        "defaulted": dict(defaulted or {}),
    }
