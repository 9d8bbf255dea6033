"""Every error this package raises.

::

    RobotMemoryError
    |-- ConfigurationError        a parameter or a file that must be mended by a person
    |   `-- ExtraMissing          an optional package that is not installed
    |-- InputError                one message or argument that cannot be used
    |   |-- ImageError            an image that cannot be decoded or stored
    |   |   `-- EncodingUnsupported in an encoding that nobody here can read
    |   `-- ReplyError            a model's reply that cannot be read
    |-- TransformError            no transform at a stamp
    |   |-- TransformNotYet       the stamp is newer than what is known: wait
    |   |-- TransformTooOld       the stamp is older than what is kept: give up
    |   `-- TransformUnknown      the frames have never been connected: wait
    |-- ModelError                a language or vision model that did not answer
    |   |-- ModelUnavailable      not reached, overloaded, or out of time: try again later
    |   |-- ChunkTooLarge         one prompt cannot hold so many images: split the chunk
    |   `-- ModelRejected         it refuses such requests: trying again changes nothing
    `-- StoreError                the memory on disk
        |-- StoreMissing          there is none yet
        |-- StoreLocked           another process writes it
        |-- StoreBusy             more waits to be written than is allowed: try again later
        |-- EmbeddingModelChanged its vectors are of another model
        |-- SchemaTooNew          it was written by a newer version
        `-- IndexDamaged          a cache beside it that cannot be used: it is made anew

Each message names what was given, the limit it broke and what to do about it.
"""

from typing import Literal, TypeAlias

ReplyFault: TypeAlias = Literal["empty_reply", "refusal", "truncated", "invalid_boxes", "no_json"]
"""No text; declined, or saw no picture; ended before anything was whole; nothing usable in it;
nothing that can be read."""

IndexFault: TypeAlias = Literal[
    "missing",
    "unreadable",
    "truncated",
    "checksum",
    "contradictory",
    "other_memory",
    "other_commit",
    "other_model",
    "other_format",
    "other_parameters",
]
"""No file; the disk does not give it; shorter than it says; not what was written; whole, but not
what it should hold; of another memory; newer or much older than the memory; of another model or
dimension; of another version; of a graph built otherwise."""


class RobotMemoryError(Exception):
    """Any error of this package."""


class ConfigurationError(RobotMemoryError):
    """A parameter or a file that a person must mend."""


class ExtraMissing(ConfigurationError):
    """An optional package is not installed: what needs it is off, the rest works."""


class InputError(RobotMemoryError, ValueError):
    """One message or argument that cannot be used; nothing else is lost."""


class ImageError(InputError):
    """An image that cannot be decoded or stored."""


class EncodingUnsupported(ImageError):
    """An image in an encoding that is not supported: each of its kind will be refused."""


class ReplyError(InputError):
    """A model's reply that cannot be read; ``code`` says why, for counting."""

    def __init__(self, message: str, code: ReplyFault = "no_json") -> None:
        super().__init__(message)
        self.code = code


class TransformError(RobotMemoryError):
    """There is no transform between two frames at a stamp."""


class TransformNotYet(TransformError):
    """The stamp is newer than the newest transform: it may still come."""


class TransformTooOld(TransformError):
    """The stamp is older than the oldest transform that is kept."""


class TransformUnknown(TransformError):
    """The two frames have never been connected."""


class ModelError(RobotMemoryError):
    """A model that did not answer."""


class ModelUnavailable(ModelError):
    """Not reached, overloaded, or out of time: the same call may work later."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """The time to wait that the server names."""


class ModelRejected(ModelError):
    """The server refuses such requests: the same call will never work."""

    def __init__(
        self, message: str, *, is_too_large: bool = False, max_images: int | None = None
    ) -> None:
        super().__init__(message)
        self.is_too_large = is_too_large
        """Fewer images, or less text, would do."""
        self.max_images = max_images
        """The most images in one prompt, where the server names it."""


class ChunkTooLarge(ModelError):
    """One prompt cannot hold the images of a chunk; ``size`` of them it may."""

    def __init__(self, message: str, size: int) -> None:
        super().__init__(message)
        self.size = size


class StoreError(RobotMemoryError):
    """The memory on disk cannot be used."""


class StoreMissing(StoreError):
    """There is no memory in the directory yet."""


class StoreLocked(StoreError):
    """Another process writes the memory."""


class StoreBusy(StoreError):
    """More waits to be written than is allowed: the disk is slower than what comes."""


class EmbeddingModelChanged(StoreError):
    """The vectors of the memory are of another model than the one that was given."""


class SchemaTooNew(StoreError):
    """The memory was written by a newer version of this package."""


class IndexDamaged(StoreError):
    """The cache of an index cannot be used; ``reason`` says why. The index is built anew."""

    def __init__(self, message: str, reason: IndexFault) -> None:
        super().__init__(message)
        self.reason = reason
