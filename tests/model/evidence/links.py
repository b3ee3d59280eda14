"""Where each source was published."""

from model.catalog import MEGATRON_PAPER, ZERO_PAPER

from .score import Link


def _of(source):
    return Link(title=source.title, url=source.url)


ZERO = _of(ZERO_PAPER)
MEGATRON_2021 = _of(MEGATRON_PAPER)
MEGATRON_LM = Link(title="NVIDIA/Megatron-LM", url="https://github.com/NVIDIA/Megatron-LM")
MEGATRON_BRIDGE = Link(title="NVIDIA-NeMo/Megatron-Bridge", url="https://github.com/NVIDIA-NeMo/Megatron-Bridge")
SIMUMAX = Link(title="MooreThreads/SimuMax", url="https://github.com/MooreThreads/SimuMax")
PLAYBOOK = Link(
    title="Hugging Face: The Ultra-Scale Playbook",
    url="https://huggingface.co/spaces/nanotron/ultrascale-playbook",
)
TORCHTITAN = Link(title="pytorch/torchtitan", url="https://github.com/pytorch/torchtitan")
LLM_FOUNDRY = Link(title="mosaicml/llm-foundry", url="https://github.com/mosaicml/llm-foundry")
LLAMA3 = Link(title="The Llama 3 Herd of Models (2024)", url="https://arxiv.org/abs/2407.21783")
KORTHIKANTI = Link(
    title="Korthikanti et al.: Reducing Activation Recomputation in Large Transformer Models (2022)",
    url="https://arxiv.org/abs/2205.05198",
)
ZERO_BUBBLE = Link(title="Qi et al.: Zero Bubble Pipeline Parallelism (2023)", url="https://arxiv.org/abs/2401.10241")
PYTORCH = Link(title="PyTorch", url="https://github.com/pytorch/pytorch")
TRANSFORMERS = Link(title="huggingface/transformers", url="https://github.com/huggingface/transformers")
LITGPT = Link(title="Lightning-AI/litgpt", url="https://github.com/Lightning-AI/litgpt")
DEEPSEEK = Link(title="deepseek-ai/DeepSeek-V3", url="https://github.com/deepseek-ai/DeepSeek-V3")
ML_ENGINEERING = Link(
    title="Bekman: Machine Learning Engineering Open Book", url="https://github.com/stas00/ml-engineering"
)
LLM_ANALYSIS = Link(title="cli99/llm-analysis", url="https://github.com/cli99/llm-analysis")
NCCL_TESTS = Link(title="NVIDIA/nccl-tests", url="https://github.com/NVIDIA/nccl-tests")
BIGSCIENCE = Link(title="bigscience-workshop/bigscience", url="https://github.com/bigscience-workshop/bigscience")
