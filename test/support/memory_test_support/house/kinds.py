"""Kinds of things: how detectors word them, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.geometry import Vector3


@dataclass(frozen=True)
class Kind:
    """``types`` are synonyms, ``descriptions`` have a place for the colour; sizes along x, y, z."""

    name: str
    types: tuple[str, ...]
    descriptions: tuple[str, ...]
    material: str
    size_m: Vector3


def _kind(name: str, types: str, descriptions: str, material: str, size_m: Vector3) -> Kind:
    return Kind(name, tuple(types.split("|")), tuple(descriptions.split("|")), material, size_m)


_ROWS = (
    _kind(
        *("chair", "chair|dining chair|wooden chair"),
        *("a {} chair with a straight back|{} kitchen chair with four legs", "wood"),
        (0.45, 0.45, 0.9),
    ),
    _kind(
        *("table", "table|dining table"),
        *("a long {} table|large {} table for meals", "wood"),
        (2.6, 0.9, 0.75),
    ),
    _kind(
        *("door", "door|room door"),
        *("a closed {} door with a metal handle|plain {} door", "wood"),
        (0.9, 0.1, 2.0),
    ),
    _kind(
        *("bench", "bench|wooden bench"),
        *("a low {} bench at the wall|{} bench to sit on", "wood"),
        (1.2, 0.4, 0.45),
    ),
    _kind(
        *("extinguisher", "fire extinguisher|extinguisher"),
        *("a {} fire extinguisher on the floor|{} cylinder with a hose", "metal"),
        (0.2, 0.2, 0.6),
    ),
    _kind(
        *("counter", "counter|kitchen counter|worktop"),
        *("a {} counter along the wall|{} kitchen worktop with drawers", "stone"),
        (2.2, 0.5, 0.9),
    ),
    _kind(
        *("fridge", "fridge|refrigerator"),
        *("a tall {} fridge|{} refrigerator with two doors", "metal"),
        (0.6, 0.6, 1.8),
    ),
    _kind(
        *("shelf", "shelf|low shelf|shelving unit"),
        *("a low {} shelf|{} shelf with three boards", "wood"),
        (2.0, 0.4, 0.8),
    ),
    _kind(
        *("sofa", "sofa|couch"),
        *("a {} sofa with three seats|wide {} couch with soft arms", "fabric"),
        (0.8, 1.9, 0.8),
    ),
    _kind(
        *("tv_stand", "tv stand|media console"),
        *("a {} stand for a television|low {} console with open boards", "wood"),
        (2.0, 0.45, 0.6),
    ),
    _kind(
        *("bookcase", "bookcase|bookshelf"),
        *("a {} bookcase full of paperbacks|{} bookshelf", "wood"),
        (2.0, 0.4, 0.9),
    ),
    _kind(
        *("coffee_table", "coffee table|low table"),
        *("a small {} coffee table|low {} table of glass", "glass"),
        (0.9, 0.6, 0.4),
    ),
    _kind(
        *("desk", "desk|office desk"),
        *("a {} desk with a cable tray|{} writing desk", "wood"),
        (1.6, 0.8, 0.74),
    ),
    _kind(
        *("cabinet", "filing cabinet|cabinet"),
        *("a {} filing cabinet with drawers|long {} office cabinet", "metal"),
        (2.0, 0.45, 0.75),
    ),
    _kind(
        *("printer", "printer|laser printer"),
        *("a {} printer on a stand|big {} office printer", "plastic"),
        (0.5, 0.5, 0.9),
    ),
    _kind(
        *("sideboard", "sideboard|credenza"),
        *("a {} sideboard with sliding doors|{} credenza", "wood"),
        (2.0, 0.45, 0.8),
    ),
    _kind(
        *("bed", "bed|double bed"),
        *("a {} double bed with pillows|wide {} bed with a blanket", "fabric"),
        (1.6, 1.4, 0.5),
    ),
    _kind(
        *("dresser", "dresser|chest of drawers"),
        *("a {} dresser with six drawers|{} chest of drawers", "wood"),
        (2.0, 0.5, 0.85),
    ),
    _kind(
        *("wardrobe", "wardrobe|closet"),
        *("a tall {} wardrobe|{} closet with a mirror", "wood"),
        (0.6, 1.2, 1.9),
    ),
    _kind(
        *("trunk", "trunk|storage chest"),
        *("an old {} trunk with straps|{} storage chest", "wood"),
        (2.0, 0.5, 0.5),
    ),
    _kind(
        *("backpack", "backpack|rucksack"),
        *("a {} backpack with side pockets|{} rucksack for hiking", "fabric"),
        (0.35, 0.3, 0.45),
    ),
    _kind(
        *("plant", "plant|potted plant"),
        *("a green plant in a {} pot|potted plant, {} pot", "ceramic"),
        (0.3, 0.3, 0.5),
    ),
    _kind(
        *("lamp", "lamp|table lamp"),
        *("a {} lamp with a round shade|{} table lamp", "metal"),
        (0.3, 0.3, 0.5),
    ),
    _kind(
        *("cushion", "cushion|pillow"),
        *("a square {} cushion|soft {} pillow", "fabric"),
        (0.4, 0.4, 0.2),
    ),
    _kind(
        *("kettle", "kettle|electric kettle"),
        *("a {} kettle with a spout|{} electric water kettle", "metal"),
        (0.25, 0.25, 0.3),
    ),
    _kind(
        *("bowl", "bowl|fruit bowl"),
        *("a {} bowl with apples|wide {} fruit bowl", "ceramic"),
        (0.3, 0.3, 0.15),
    ),
    _kind(
        *("laptop", "laptop|notebook computer"),
        *("an open {} laptop|{} notebook computer with stickers", "metal"),
        (0.35, 0.25, 0.25),
    ),
    _kind(
        *("ball", "ball|football"), *("a {} ball|round {} football", "rubber"), (0.25, 0.25, 0.25)
    ),
    _kind(
        *("teddy", "teddy bear|stuffed bear"),
        *("a {} teddy bear|{} stuffed bear with a bow", "fabric"),
        (0.3, 0.3, 0.4),
    ),
    _kind(
        *("carton", "cardboard box|carton"),
        *("a {} cardboard box with tape|{} carton for parcels", "cardboard"),
        (0.4, 0.4, 0.3),
    ),
    _kind(
        *("globe", "globe|world globe"),
        *("a {} globe on a stand|{} world globe", "plastic"),
        (0.3, 0.3, 0.4),
    ),
    _kind(
        *("helmet", "helmet|bicycle helmet"),
        *("a {} helmet with a chin strap|{} bicycle helmet", "plastic"),
        (0.3, 0.25, 0.2),
    ),
    _kind(
        *("basket", "basket|laundry basket"),
        *("a woven {} basket|{} laundry basket with handles", "wicker"),
        (0.4, 0.4, 0.35),
    ),
    _kind(
        *("radio", "radio|portable radio"),
        *("a {} radio with an antenna|old {} portable radio", "plastic"),
        (0.35, 0.2, 0.25),
    ),
    _kind(
        *("vase", "vase|flower vase"),
        *("a {} vase with tulips|slim {} flower vase", "glass"),
        (0.2, 0.2, 0.4),
    ),
    _kind(
        *("watering_can", "watering can|watering pot"),
        *("a {} watering can|{} watering pot with a long spout", "metal"),
        (0.4, 0.25, 0.35),
    ),
    _kind(
        *("fan", "fan|desk fan"),
        *("a {} fan with three blades|{} desk fan", "plastic"),
        (0.35, 0.25, 0.45),
    ),
    _kind(
        *("toolbox", "toolbox|tool case"),
        *("a {} toolbox with a handle|heavy {} tool case", "metal"),
        (0.45, 0.25, 0.25),
    ),
)
KINDS = {kind.name: kind for kind in _ROWS}
COLORS = ("red", "green", "blue", "yellow", "white", "black", "brown", "grey")
