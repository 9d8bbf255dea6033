"""Things of a household: those that stand in one room each, and those that stand nowhere."""

from __future__ import annotations

ROOMS = [
    *("kitchen", "living room", "bedroom", "bathroom", "hallway", "study", "nursery"),
    *("laundry room", "garage", "dining room", "pantry", "workshop"),
]

EVERYWHERE = ["door", "window", "lamp", "chair", "shelf", "socket", "radiator", "ceiling light"]
"""Seen in every room, every day."""

SEEN = {
    "kitchen": ["kettle", "toaster", "cutting board", "bread knife", "dish rack"],
    "living room": ["sofa", "television", "coffee table", "piano", "photo frame"],
    "bedroom": ["bed", "wardrobe", "alarm clock", "pillow", "hair dryer"],
    "bathroom": ["toothbrush", "bathtub", "shampoo bottle", "towel rail", "weighing scale"],
    "hallway": ["keys", "umbrella", "coat rack", "doormat", "shoe cabinet"],
    "study": ["printer", "office chair", "globe", "stapler", "desk organizer"],
    "nursery": ["teddy bear", "crib", "toy train", "rocking horse", "night light"],
    "laundry room": ["washing machine", "ironing board", "laundry basket", "detergent", "iron"],
    "garage": ["bicycle", "toolbox", "car tire", "ladder", "leaf blower"],
    "dining room": ["wine glass", "candle holder", "fruit bowl", "tablecloth", "serving tray"],
    "pantry": ["flour jar", "rice cooker", "olive oil", "egg carton", "broom"],
    "workshop": ["hammer", "vise", "drill press", "paint bucket", "sawhorse"],
}
"""Each in one room only, on the first day only."""

ABSENT = [
    # near in name or meaning to what is seen
    *(
        "key chain",
        "key hook",
        "toothpaste",
        "piano bench",
        "bear",
        "horse",
        "train",
        "toaster oven",
    ),
    *("bread", "bread bin", "coffee machine", "coffee mug", "alarm", "pillow case", "bed frame"),
    *("bath mat", "towel", "paint brush", "drill", "tool belt", "car", "tire pump", "fruit"),
    *(
        "wine bottle",
        "wine rack",
        "candle",
        "egg cup",
        "flour sifter",
        "rice",
        "desk",
        "photo album",
    ),
    *("shoe", "coat hanger", "umbrella stand", "doorbell", "iron gate", "night table", "toy box"),
    *("television remote", "sofa cushion", "leaf", "shampoo", "hair brush", "printer paper"),
    # far from it
    *("aquarium", "accordion", "surfboard", "telescope", "sewing machine", "fire extinguisher"),
    *("treadmill", "chess board", "guitar", "wheelchair", "parrot cage", "dart board", "espresso"),
    *("microscope", "typewriter", "snowboard"),
]
"""Seen never; as many as those that are."""
