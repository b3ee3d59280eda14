"""What can be measured. Each module here is one kind, named like it, and has

``cases(suite: str, world: int, device: str) -> list[Case]``
    what the suite measures of this kind, the cheapest first. Suites: "ci" and "gpu" (``world`` real ranks on ``device``, which
    talk to each other), "scale" and "one-gpu" (one process plays a rank of any world: ``world`` is 1 here and the case
    names its own).
``run(case: Case, place: Place) -> dict | None``
    measure (imports torch); what rank 0 returns is the record's ``result``: integers for bytes, with names that end in
    ``_bytes``; seconds as ``{"p10", "p50", "p90", "n"}`` with names that end in ``_s``; rates end in ``_per_s``. Fields of
    time and rate are refused by `collect` where no real network carried the bytes.
``checks(record: dict) -> list[Check]``
    the record's figures beside the model's (no torch): what `compare` prints. ``record["case"]`` is ``Case.asked``.

Modules import torch inside of functions only, or from modules that only ``run`` imports.
"""
