"""A small open_clip model that has learned nothing."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from memory_nodes.models.visual_embeddings import VisualConfig

TINY = "tiny-random-for-tests"
TINY_CONFIG = {
    "embed_dim": 64,
    "vision_cfg": {
        **{"image_size": 64, "layers": 2, "width": 64, "head_width": 32, "patch_size": 16}
    },
    "text_cfg": {
        **{"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2}
    },
}


def random_weights(directory: Path, seed: int) -> VisualConfig:
    """A file of its weights, and how to load it."""
    torch, open_clip = import_module("torch"), import_module("open_clip")
    (directory / f"{TINY}.json").write_text(json.dumps(TINY_CONFIG), encoding="utf-8")
    open_clip.add_model_config(directory / f"{TINY}.json")
    torch.manual_seed(seed)
    file = directory / f"random_{seed}.pt"
    torch.save(open_clip.create_model(TINY).state_dict(), file)
    return VisualConfig(
        visual_model=TINY, visual_weights=str(file), visual_device="cpu", visual_batch_size=4
    )
