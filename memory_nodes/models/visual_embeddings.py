"""Vectors of pictures and texts on this machine, by any model of open_clip."""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image

from memory_nodes.errors import ConfigurationError, ExtraMissing, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.parameters import parameter, path_of

Item = TypeVar("Item")

_LOADING_FAULTS = (
    *(OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError, AssertionError),
    *(EOFError, pickle.UnpicklingError),
)
"""What open_clip, torch and transformers raise for unknown names, hubs away and other files."""

_PREPROCESSING = ("mean", "std", "interpolation", "resize_mode")
RELOAD_S = 600.0
"""Wall time after which a model that could not be loaded is tried again: a hub that is away costs
most of a minute, and each chunk would wait for it."""

_OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@dataclass(frozen=True)
class VisualConfig:
    """Which model makes the vectors of pictures, and where it runs."""

    use_visual_embeddings: bool = parameter(
        False, "a vector of each object's picture, for visual search; needs ./dev setup --models"
    )
    visual_model: str = parameter("ViT-B-16-SigLIP2-256", "a model name of open_clip")
    visual_weights: str = parameter("webli", "a name of its weights in open_clip, or their file")
    visual_device: str = parameter(
        "auto", "where it runs; auto: cuda if there is one", choices=("auto", "cuda", "cpu")
    )
    visual_batch_size: int = parameter(8, "pictures at once", low=1, high=1024)

    @property
    def weights_file(self) -> Path | None:
        """The file of the weights, where they are not given by name."""
        path = path_of("visual_weights", self.visual_weights)
        return path if path.is_file() else None


class OpenClipEmbedder:
    """A VisualEmbedder over open_clip; the model loads at the first use, or at ``load``.

    The preprocessing is the model's own. Where CUDA runs out of memory the batches get smaller,
    and at last the CPU takes over: ``problem`` says so.

    Raises ExtraMissing where open_clip is not installed, ConfigurationError where the weights' file
    is missing.
    """

    def __init__(self, config: VisualConfig) -> None:
        for module in ("torch", "open_clip"):
            if find_spec(module) is None:
                raise ExtraMissing(
                    f"there are no visual embeddings without the Python module {module}: run "
                    "`./dev setup --models` or `pip install open_clip_torch`, or set "
                    "use_visual_embeddings to false"
                )
        if os.sep in config.visual_weights and config.weights_file is None:
            raise ConfigurationError(f"visual_weights {config.visual_weights} is no file")
        self._config = config
        self._batch_size = config.visual_batch_size
        self._lock = threading.Lock()
        self._model: Any = None
        self._preprocess: Any = None
        self._tokenizer: Any = None
        self._model_id = ""
        self._dimension = 0
        self._failure = ""
        self._failed_s = 0.0
        self._device = "cpu"
        self.problem: str | None = None
        """What makes it slower than it was set up to be."""

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def loads_locally(self) -> bool:
        """Whether ``load`` asks no hub, and so takes seconds at most."""
        return self._config.weights_file is not None or is_offline()

    def load(self, with_texts: bool = False) -> None:
        """Loads the model and, to embed texts, its tokenizer; a hub may be asked for either.

        Raises ConfigurationError when it cannot: an unknown name, or no hub and nothing cached.
        """
        with self._lock:
            self._load()
            if with_texts:
                self._load_tokenizer()

    async def embed_images(self, images: Sequence[Image.Image], deadline_s: float) -> Array:
        return await self._within(deadline_s, list(images), self._encode_images)

    async def embed_texts(self, texts: Sequence[str], deadline_s: float) -> Array:
        return await self._within(deadline_s, list(texts), self._encode_texts)

    async def _within(
        self, deadline_s: float, items: list[Item], encode: Callable[[list[Item]], Any]
    ) -> Array:
        is_over = threading.Event()
        try:
            return await asyncio.wait_for(
                asyncio.to_thread(self._in_batches, items, encode, is_over), deadline_s
            )
        except asyncio.TimeoutError as error:
            raise ModelUnavailable(
                f"{self._config.visual_model} did not embed {len(items)} items in the time left, "
                f"{deadline_s:.1f} s"
            ) from error
        finally:
            is_over.set()

    def _in_batches(
        self, items: list[Item], encode: Callable[[list[Item]], Any], is_over: threading.Event
    ) -> Array:
        """In a thread, which cannot be stopped: between batches it looks whether to go on."""
        with self._lock:
            if not is_over.is_set():
                self._load()
            torch = import_module("torch")
            rows: list[Array] = [np.empty((0, self._dimension))]
            start = 0
            while start < len(items) and not is_over.is_set():
                batch = items[start : start + self._batch_size]
                try:
                    with torch.inference_mode():
                        found = encode(batch).float().cpu().numpy()
                except torch.OutOfMemoryError as error:
                    self._ask_for_less(error)
                    continue
                rows.append(np.asarray(found, dtype=np.float64))
                start += len(batch)
        return np.concatenate(rows)

    def _ask_for_less(self, error: Exception) -> None:
        """Halves the batches for good; when one picture is too much, the CPU takes over."""
        torch = import_module("torch")
        if self._batch_size > 1:
            self._batch_size //= 2
            self.problem = f"CUDA is short of memory: {self._batch_size} pictures at once"
        elif self._device == "cuda":
            self._device = "cpu"
            self._model = self._model.to("cpu")
            self._batch_size = self._config.visual_batch_size
            self.problem = "CUDA is out of memory: visual embeddings are made on the CPU"
        else:
            raise ModelUnavailable(f"no memory for one picture: {error}") from error
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _encode_images(self, images: list[Image.Image]) -> Any:
        torch = import_module("torch")
        pixels = torch.stack([self._preprocess(image) for image in images])
        return self._model.encode_image(pixels.to(self._device), normalize=True)

    def _encode_texts(self, texts: list[str]) -> Any:
        self._load_tokenizer()
        tokens = self._tokenizer(texts)
        return self._model.encode_text(tokens.to(self._device), normalize=True)

    def _load(self) -> None:
        if self._model is not None:
            return
        config = self._config
        open_clip = import_module("open_clip")
        self._device = _device(config.visual_device)
        file = config.weights_file
        create = partial(
            open_clip.create_model_and_transforms,
            config.visual_model,
            pretrained=str(file) if file else config.visual_weights,
            **(_published_preprocessing(config.visual_model) if file else {}),
        )
        model, _, self._preprocess = self._loaded(create)
        described = open_clip.get_model_config(config.visual_model)
        self._dimension = int(described["embed_dim"])
        weights = file.stem if file else config.visual_weights
        self._model_id = (
            f"open_clip:{config.visual_model}:{weights}:{weights_hash(model.state_dict())[:16]}"
        )
        self._model = model.eval().to(self._device)

    def _load_tokenizer(self) -> None:
        if self._tokenizer is None:
            get = import_module("open_clip").get_tokenizer
            self._tokenizer = self._loaded(partial(get, self._config.visual_model))

    def _loaded(self, load: Callable[[], Any]) -> Any:
        if self._failure and time.monotonic() < self._failed_s + RELOAD_S:
            raise ConfigurationError(self._failure)
        try:
            return load()
        except (*_LOADING_FAULTS, import_module("safetensors").SafetensorError) as error:
            self._failure, self._failed_s = self._cure(error), time.monotonic()
            raise ConfigurationError(self._failure) from error

    def _cure(self, error: Exception) -> str:
        config = self._config
        name = f"visual_model {config.visual_model} with visual_weights {config.visual_weights}"
        offline = " (offline, so no hub is asked)" if is_offline() else ""
        return (
            f"{name} cannot be loaded{offline}: give names that open_clip lists, and either a file "
            "of weights, or a network or a filled Hugging Face cache (HF_HOME): "
            f"{str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )


def is_offline() -> bool:
    """Whether Hugging Face's own variables forbid its libraries to ask the hub."""
    values = (os.environ.get(name, "") for name in _OFFLINE_VARIABLES)
    return any(value.upper() in {"1", "ON", "YES", "TRUE"} for value in values)


def weights_hash(state: dict[str, Any]) -> str:
    """SHA-256 over every tensor's name, type, shape and bytes, in the order of names; hex."""
    digest = hashlib.sha256()
    for name in sorted(state):
        numbers = state[name].detach().cpu().contiguous().numpy()
        digest.update(f"{name} {numbers.dtype} {numbers.shape}\n".encode())
        digest.update(numbers.reshape(-1).data)
    return digest.hexdigest()


def _published_preprocessing(model: str) -> dict[str, Any]:
    """What open_clip knows of a model's own preprocessing: a file of weights does not tell it.

    Its published weights agree on it, with two exceptions (ViT-H-14, ViT-L-14): the first counts.
    """
    pretrained = import_module("open_clip.pretrained")
    names = pretrained.list_pretrained_tags_by_model(model)
    known = pretrained.get_pretrained_cfg(model, names[0]) if names else {}
    return {f"image_{key}": known[key] for key in _PREPROCESSING if known.get(key) is not None}


def _device(wanted: str) -> str:
    has_cuda = import_module("torch").cuda.is_available()
    if wanted == "cuda" and not has_cuda:
        raise ConfigurationError("visual_device is cuda, and there is none: give cpu or auto")
    return "cuda" if wanted != "cpu" and has_cuda else "cpu"
