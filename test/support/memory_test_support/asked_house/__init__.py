"""Houses without pictures, of the size of WalkieKnowledge, with questions and their answers.

Source: VL-KnG, section 7: a median of 86 keyframes and about 290 objects a scene. Half of the
houses have distractors: things of the same kind, in other colours, side by side.
"""

from memory_test_support.asked_house.plan import AskedHouse, build
from memory_test_support.asked_house.questions import UNANSWERABLE, ask

__all__ = ["UNANSWERABLE", "AskedHouse", "ask", "build"]
