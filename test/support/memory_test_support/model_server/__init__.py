"""An OpenAI-compatible HTTP server that stands in for a model; it says so in `model`."""

from memory_test_support.model_server.options import MODEL_NAME, ServerOptions
from memory_test_support.model_server.server import ModelServer

__all__ = ["MODEL_NAME", "ModelServer", "ServerOptions"]
