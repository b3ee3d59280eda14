"""Buffers that a framework keeps from the first step on, whatever is in flight: part of what rests."""

from .held import EMBEDDING, Held
from .placement import Chunk
from .training import Training
from .units import MIB

# The workspace of a cuBLAS handle. PyTorch has one for the thread of the forward pass and one for that of autograd
# (PyTorch, CUDABlas.cpp, getChosenWorkspaceSize and cublas_handle_stream_to_workspace: 32 MiB on Hopper, and wherever
# NVIDIA's advice for reproducible runs is followed, CUBLAS_WORKSPACE_CONFIG=:4096:8). Transformer Engine has its own,
# and one more for each of the streams of grouped experts (get_cublas_workspace_size_bytes, GroupedLinear).
# At rest Megatron-LM's runs on one pipeline stage hold 96.0 MiB on an H100 and 68.0 MiB on an A100 beyond the states.
WORKSPACE_BYTES = 32 * MIB
SMALL_WORKSPACE_BYTES = 4 * MIB
BEFORE_HOPPER = ("v100", "t4", "a100", "a10g", "l40s", "rtx")
PYTORCH_WORKSPACES = 2
GROUPED_STREAMS = 4
NUMBER = 2  # a dummy gradient is in half precision


def engine_buffers(plan: Training, tensors: tuple[Held, ...], chunks: tuple[Chunk, ...]) -> int:
    """Bytes on a rank with these chunks that holds these tensors, but for ``stage_inputs``.

    Under sequence parallelism the head gathers its input into a buffer that stays (Megatron-LM,
    get_global_memory_buffer, "mpu"); nanotron gathers the inputs of all matrices into one (nanotron, MemoryBuffer,
    "allgather").
    """
    gathered = plan.tokens * plan.shape.hidden_size * plan.activation_bytes if plan.layout.sequence_cut > 1 else 0
    if plan.implementation == "nanotron":
        return gathered
    if plan.implementation != "megatron-te":
        return 0
    last = any(chunk.last for chunk in chunks)
    own = SMALL_WORKSPACE_BYTES if plan.gpu.startswith(BEFORE_HOPPER) else WORKSPACE_BYTES
    streams = 1 + (GROUPED_STREAMS if any(held.expert for held in tensors) else 0)
    workspaces = streams * own + PYTORCH_WORKSPACES * WORKSPACE_BYTES
    return workspaces + _dummy_gradients(plan, tensors, last=last) + (gathered if last else 0)


def stage_inputs(plan: Training, chunks: tuple[Chunk, ...]) -> int:
    """Bytes of what came last over a pipeline's borders, and of its gradient: each chunk of Megatron's keeps both.

    Source: Megatron-LM, TransformerBlock.set_input_tensor, and backward_step, which retains the gradient.
    """
    return 2 * _border(plan) * sum(not chunk.first for chunk in chunks)


def sent_gradient(plan: Training, chunks: tuple[Chunk, ...]) -> int:
    """Bytes of the gradient that a rank sent last, which it holds until it has the next one to send.

    Source: Megatron-LM, schedules.py, input_tensor_grad.
    """
    return _border(plan) if plan.micro_batches > 1 and not all(chunk.first for chunk in chunks) else 0


def _border(plan: Training) -> int:
    """Bytes that a micro-batch carries from one of Megatron's stages to the next."""
    if plan.implementation != "megatron-te":
        return 0
    return -(-plan.tokens // plan.layout.sequence_cut) * plan.shape.hidden_size * plan.activation_bytes


def _dummy_gradients(plan: Training, tensors: tuple[Held, ...], *, last: bool) -> int:
    """Where gradients are added to the fp32 buffer inside the matrix product, autograd still wants a tensor.

    Transformer Engine keeps one dummy for each distinct shape of a weight (Transformer Engine, get_dummy_wgrad).
    Megatron-LM's own default is to add them inside (--no-gradient-accumulation-fusion turns it off). A plan that does
    not say so follows its loss, since reproducible runs, as its own tests are, turn both off: --deterministic-mode
    refuses a fused loss. It is a guess: three of the eleven measured runs of Megatron-LM have an eager loss and add
    gradients inside, and say so in ``recipe.gradient_fusion``.
    """
    fused = plan.loss != "eager" if plan.gradient_fusion is None else plan.gradient_fusion
    if not plan.recipe.trainable or not fused:
        return 0
    sizes = _matrix_sizes(tensors)
    if last and plan.shape.tie_word_embeddings:
        rows, width = next(held.shape for held in tensors if held.name == EMBEDDING)
        sizes[rows, width] = rows * width
    return sum(NUMBER * size for size in sizes.values())


def _matrix_sizes(tensors: tuple[Held, ...]) -> dict[tuple, int]:
    """Distinct shapes of the matrices as Megatron holds them: q, k and v in one, gate and up in one."""
    fused: dict[str, list[int]] = {}
    for held in tensors:
        if len(held.shape) != 2 or held.component in ("embedding", "position", "router"):
            continue
        rows, width = held.shape
        stem, _, name = held.name.removesuffix(".weight").rpartition(".")
        together = {"q_proj": "qkv", "k_proj": "qkv", "v_proj": "qkv", "gate_proj": "in", "up_proj": "in"}
        key = f"{stem}.{together.get(name, name)}"
        part = fused.setdefault(key, [0, width])
        part[0] += rows
    return {(rows, width): rows * width for rows, width in fused.values()}
