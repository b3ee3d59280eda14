"""What one pipeline chunk computes for one micro-batch on one rank: seconds forward, and of both halves of its backward.

Communication is apart, in ``traffic``, and what the host cannot keep up with in ``host``.
"""

import math
from dataclasses import dataclass

from .flops import attention_flops, visible_flops
from .held import Held, head_held, key_heads, layer_held
from .kernels import (
    BACKWARD_FLOPS,
    COMPILED,
    FUSED_LOGIT_BYTES,
    IMPLEMENTATIONS,
    Implementation,
    flash_s,
    matmul_s,
    pass_s,
)
from .placement import Chunk
from .speeds import Speed
from .training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Seconds of a piece of a chunk. ``attention`` is in ``forward`` too, ``recompute`` in ``for_input``."""

    forward: float = 0.0  # s
    for_input: float = 0.0  # s of the backward that makes the gradients of the inputs
    for_weight: float = 0.0  # s of the backward that makes those of the weights
    recompute: float = 0.0  # s of the forward that runs again
    attention: float = 0.0  # s of the attention core

    def __add__(self, other: "Work") -> "Work":
        """Both, one after the other."""
        return Work(
            forward=self.forward + other.forward,
            for_input=self.for_input + other.for_input,
            for_weight=self.for_weight + other.for_weight,
            recompute=self.recompute + other.recompute,
            attention=self.attention + other.attention,
        )

    def times(self, count: float) -> "Work":
        """The same ``count`` times."""
        return Work(
            forward=self.forward * count,
            for_input=self.for_input * count,
            for_weight=self.for_weight * count,
            recompute=self.recompute * count,
            attention=self.attention * count,
        )


def recomputed(plan: Training, layer: int, chunk: Chunk) -> bool:
    """Whether a layer's forward runs again: with ``recompute_layers`` the first ones of each chunk do."""
    most = plan.recompute_layers
    return plan.recompute != "none" and (most is None or layer - chunk.layers.start < most)


def computed_alike(plan: Training, chunk: Chunk) -> tuple:
    """Equal for chunks, of plans of one search, that compute the same for a micro-batch, and send the same to do so."""
    layout = plan.layout
    return layout.tp, layout.cp, layout.ep, layout.sequence_parallel, plan.micro_batch, chunk.alike


class Pricer:
    """Prices the layers of one plan on one card; equal layers once."""

    def __init__(self, plan: Training, speed: Speed) -> None:
        """Takes a plan that fits the model, and the card's speed."""
        self.plan = plan
        self.speed = speed
        self.implementation: Implementation = IMPLEMENTATIONS[plan.implementation]
        self._layers: dict[tuple[bool, int | None, bool], Work] = {}

    def chunk(self, chunk: Chunk) -> Work:
        """All layers of a chunk, and the head and the loss where it has them."""
        return self.plan.memo.once(("work", *computed_alike(self.plan, chunk)), lambda: self._chunk(chunk))

    def _chunk(self, chunk: Chunk) -> Work:
        kinds: dict[tuple[bool, int | None, bool], int] = {}
        for layer in chunk.layers:
            key = (self.plan.shape.is_moe(layer), self.plan.shape.window_of(layer), recomputed(self.plan, layer, chunk))
            kinds[key] = kinds.get(key, 0) + 1
            if key not in self._layers:
                self._layers[key] = self._layer(*key)
        total = Work()
        for key, count in kinds.items():
            total += self._layers[key].times(count)
        return total + self._head(chunk) if chunk.last else total

    def _layer(self, moe: bool, window: int | None, again: bool) -> Work:
        plan = self.plan
        matrices = [held for held in layer_held(plan.shape, plan.layout, moe=moe) if len(held.shape) > 1]
        products = [self._product(held) for held in matrices]
        product_s = math.fsum(products)
        attention, attention_back = self._attention(window)
        passes = pass_s(self._passes(moe), self.speed)
        forward = product_s + attention + passes
        for_input = product_s + attention_back + 2 * passes
        for_weight = product_s * float(plan.recipe.trainable)
        more = {
            "none": 0.0,
            "selective": attention,
            "op-selective": product_s / 2 + passes,
            "full": forward,
        }[plan.recompute if again else "none"]
        return Work(
            forward=forward,
            for_input=for_input + more,
            for_weight=for_weight,
            recompute=more,
            attention=attention,
        )

    def _product(self, held: Held) -> float:
        """One matrix times the rank's tokens, forward; each half of the backward is another of the same size."""
        plan = self.plan
        out, into = held.shape
        tokens, weights = float(plan.tokens), float(held.copies * out * into)
        if held.expert:
            # Tokens meet an expert's part on every rank that holds it; the busiest rank has expert_balance times its share.
            tokens *= plan.shape.num_experts_per_tok * plan.layout.etp / plan.layout.tp * plan.expert_balance
        elif not held.cut:
            tokens /= plan.layout.sequence_cut
        moved = plan.activation_bytes * (tokens * (out + into) + weights)
        if plan.compute == "fp8":
            moved += self.implementation.cast_bytes * (tokens * into + weights)
        return matmul_s(2.0 * tokens * out * into, moved, self.speed, plan.compute)

    def _attention(self, window: int | None) -> tuple[float, float]:
        """The attention core, forward and backward: a flash kernel computes what the mask leaves, an eager one all."""
        plan = self.plan
        tokens = plan.tokens / plan.layout.tp
        if plan.attention == "flash":
            flops = float(visible_flops(plan.shape, window, plan.seq)) * tokens
            forward = flash_s(flops, self.speed, self.implementation.flash, plan.compute)
            return forward, forward * BACKWARD_FLOPS
        scores = plan.tokens * plan.seq * plan.shape.num_attention_heads / plan.layout.tp
        moved = pass_s(self.implementation.score_bytes * scores, self.speed)
        flops = float(attention_flops(plan.shape, window, plan.seq)) * tokens
        forward = matmul_s(flops, 0.0, self.speed, plan.compute) + moved
        return forward, 2 * forward

    def _passes(self, moe: bool) -> float:
        """Bytes that a layer's forward moves outside its matrix products and its attention core."""
        plan, shape, own = self.plan, self.plan.shape, self.implementation
        scale = plan.activation_bytes / 2
        hidden, gated, plain, head = own.hidden_bytes, own.gated_bytes, own.plain_bytes, own.head_bytes
        if plan.compile:
            hidden, gated, plain, head = COMPILED.values()
        tokens = float(plan.tokens)
        width = gated if shape.gated else plain
        moved = hidden * shape.norms_per_layer / 2 * tokens * shape.hidden_size / plan.layout.sequence_cut
        heads = shape.num_attention_heads // plan.layout.tp + key_heads(shape, plan.layout.tp)
        moved += head * tokens * heads * shape.head_dim
        if moe:
            visits = tokens * shape.num_experts_per_tok * plan.layout.etp / plan.layout.tp * plan.expert_balance
            # Sorted to their experts and back: two copies, read and written.
            moved += visits * (8 * shape.hidden_size + width * shape.moe_intermediate_size / plan.layout.etp)
            moved += width * tokens * shape.shared_intermediate_size / plan.layout.tp
        else:
            moved += width * tokens * shape.intermediate_size / plan.layout.tp
        return moved * scale

    def _head(self, chunk: Chunk) -> Work:
        """The head and the loss; a tied head is the embedding again, wherever that is."""
        plan = self.plan
        held = [one for one in head_held(plan.shape, plan.layout, beside_embedding=chunk.first) if len(one.shape) > 1]
        products = math.fsum(self._product(one) for one in held)
        if plan.shape.tie_word_embeddings and chunk.first:
            tied = Held(
                name="lm_head.weight",
                component="head",
                shape=(plan.vocabulary, plan.shape.embedding_size),
                copies=1,
                expert=False,
                cut=True,
            )
            products += self._product(tied)
        each = self.implementation.logit_bytes if plan.loss == "eager" else FUSED_LOGIT_BYTES
        loss = pass_s(each * float(plan.tokens) * plan.vocabulary, self.speed)
        again = products if plan.loss == "chunked" else 0.0  # the logits of a chunk are made again for their gradient
        return Work(
            forward=products + loss / 2,
            for_input=products + loss / 2 + again,
            for_weight=products * float(plan.recipe.trainable),
            recompute=again,
        )
