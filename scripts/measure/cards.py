"""Cards of the model's catalogue by the names that their drivers give them. No torch here."""

from model.catalog import GPUS

# What torch.cuda.get_device_name returns and `nvidia-smi -L` prints -> the name in `model.catalog`.
CARDS = {
    "NVIDIA A100-SXM4-40GB": "a100-sxm-40gb",
    "NVIDIA A100-SXM4-80GB": "a100-sxm-80gb",
    "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
    "NVIDIA H100 80GB HBM3": "h100-sxm-80gb",
    "NVIDIA H100 PCIe": "h100-pcie-80gb",
    "NVIDIA H100 NVL": "h100-nvl-94gb",
    "NVIDIA H200": "h200-sxm-141gb",
    "NVIDIA B200": "b200-sxm-180gb",
    "NVIDIA GB200": "gb200-186gb",
    "Tesla V100-SXM2-16GB": "v100-sxm-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm-32gb",
    "NVIDIA L40S": "l40s-48gb",
    "NVIDIA GeForce RTX 4090": "rtx-4090-24gb",
    "NVIDIA GeForce RTX 3090": "rtx-3090-24gb",
    "NVIDIA A10G": "a10g-24gb",
    "Tesla T4": "t4-16gb",
}


def card_of(device: str) -> str | None:
    """The catalogue's name of a card, or None for one that the catalogue does not have."""
    name = CARDS.get(device)
    return name if name in GPUS else None
