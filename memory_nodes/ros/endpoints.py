"""Every topic, service and action of the suite, with its quality of service.

Names are relative: a namespace moves the whole suite.
"""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

# in
IMAGE = "image"
CAMERA_INFO = "camera_info"
DEPTH = "depth"
LOCALIZATION = "pose"
QUESTIONS = "questions"
COMMANDS = "commands"
OBSERVATIONS = "observations"
NEW_NAME = "new_name"
# inside the suite
CHUNK_DETECTIONS = "chunk_detections"
CHUNK_GRAPHS = "chunk_graphs"
STORE_UPDATES = "store_updates"
CURRENT_MAP = "current_map"
# out
ANSWERS = "answers"
SPEECH = "speech"
MARKERS = "markers"
TRAIL = "trail"
RETRIEVED_IMAGE = "retrieved_image"
GOAL = "goal"
OBJECT_MENUS = "object_menus"
"""Before the topics and the service of interactive markers."""
DIAGNOSTICS = "/diagnostics"
# services
QUERY = "query"
LOCATE = "locate"
RECALL = "recall"
OBSERVE = "observe"
START_EPISODE = "start_episode"
END_EPISODE = "end_episode"
STATS = "stats"
FORGET = "forget"
EDIT_OBJECT = "edit_object"
EXPORT_MEMORY = "export_memory"
UNDO_MAP_CORRECTION = "undo_map_correction"
CONSOLIDATE = "consolidate"
SUMMARIZE = "summarize"
STOP = "stop"
CONTEXT = "get_context"
# actions
NAVIGATE_TO_MEMORY = "navigate_to_memory"

SENSOR = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.BEST_EFFORT
)
"""As publishers of images use it (REP-2003): matches best-effort and reliable ones."""

LAYER = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=100, reliability=ReliabilityPolicy.BEST_EFFORT
)
"""Of topics that others publish in ways of their own: matches all of them."""

EVENT = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.RELIABLE
)

STREAM = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1000, reliability=ReliabilityPolicy.RELIABLE
)
"""Many small messages, which come in bursts: none is to be lost."""

SERVICE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=100, reliability=ReliabilityPolicy.RELIABLE
)
"""The default keeps 10 requests: the eleventh of a burst would never be answered."""

LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""A late subscriber gets the newest message."""

TRANSFORMS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1000, reliability=ReliabilityPolicy.RELIABLE
)
"""They are small and come in bursts; over one that is lost a pose would be interpolated."""
STATIC_TRANSFORMS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
