"""Defects of replies by family; expected values follow by hand from the rules of the reply cases."""
# ruff: noqa: E501 - a reply is easier to read in one line

from __future__ import annotations

import pytest

from memory_test_support.one_image import AB, MUG, RUG, A, read

WHOLE = {
    "prose with brackets": f"In frame [0] (a photo) I see:\n[{MUG}, {RUG}]\nDone [1].",
    "bold markdown": f"**Objects:** [{MUG}, {RUG}] **end**",
    "fence without a word": f"```\n[{MUG}, {RUG}]\n```",
    "fence left open": f"```json\n[{MUG}, {RUG}]",
    "two fences": f"```json\n[{MUG}]\n```\nand\n```json\n[{RUG}]\n```",
    "arrays in a row": f"[{MUG}][{RUG}]",
    "array of arrays": f"[[{MUG}], [{RUG}]]",
    "unrelated block first": f'```json\n{{"title": "Scan", "rooms": 2}}\n```\n[{MUG}, {RUG}]',
    "unrelated named block": f'[{MUG}, {RUG}]\n{{"name": "kitchen", "area_m2": 12}}',
    "under a strange key": f'{{"things_on_the_table": [{MUG}, {RUG}]}}',
    "two keys": f'{{"cups": [{MUG}], "floor": [{RUG}]}}',
    "wrapper with a name": f'{{"name": "scene 4", "detections": [{MUG}, {RUG}]}}',
    "thought before": f"<think>a vase? {RUG} no</think>[{MUG}, {RUG}]",
    "thought with capitals": f"<THINK>hm</THINK>[{MUG}, {RUG}]",
    "thinking tag": f"<thinking>[{MUG}]</thinking>\n[{MUG}, {RUG}]",
    "kimi thought": f"◁think▷[{MUG}]◁/think▷[{MUG}, {RUG}]",
    "two thoughts": f"<think>x</think> so <think>{MUG}</think> [{MUG}, {RUG}]",
    "answer tag with a draft before": f"Draft: [{RUG}] <answer>[{MUG}, {RUG}]</answer>",
    "single quotes": f"[{MUG}, {RUG}]".replace('"', "'"),
    "tuples": "[{'label': 'mug', 'bbox': (100, 120, 300, 320)}, "
    "{'label': 'rug', 'bbox': (10, 20, 30, 40), 'seen': True, 'by': None}]",
    "typographic quotes": f"[{MUG}, {RUG}]".replace('{"', "{“")
    .replace('":', "”:")
    .replace(', "', ", “")
    .replace('",', "”,")
    .replace(' "', " “"),
    "keys without quotes": "[{label: 'mug', bbox: [100,120,300,320]}, "
    "{label: 'rug', bbox: [10,20,30,40]}]",
    "words without quotes": "[{label: mug, bbox: [100,120,300,320]}, "
    "{label: rug, bbox: [10,20,30,40]}]",
    "trailing commas": f"[{MUG[:-1]},}},{RUG},,]",
    "missing commas": f"[{MUG} {RUG}]",
    "missing comma in a record": f'[{{"label": "mug" "bbox": [100,120,300,320]}}, {RUG}]',
    "missing comma at a line": f'[{{"label": "mug"\n"bbox": [100,120,300,320]}}\n{RUG}]',
    "missing commas in a box": f'[{{"label": "mug", "bbox": [100 120 300 320]}}, {RUG}]',
    "missing quote after a text": f'[{{"label": "mug, "bbox": [100,120,300,320]}}, {RUG}]',
    "comments": f"[{MUG}, // the red one\n/* and */ {RUG} # last\n]",
    "ellipsis": f"[{MUG}, {RUG}, ...]",
    "json lines": f"{MUG}\n{RUG}",
    "json lines with commas": f"{MUG},\n{RUG},",
    "numbered lines": f"1. {MUG}\n2. {RUG}",
    "opening bracket lost": f"{MUG}, {RUG}]",
    "box bracket lost": f'[{{"label": "mug", "bbox": [100,120,300,320}}, {RUG}]',
    "box bracket lost before a key": f'[{{"bbox": [100,120,300,320, "label": "mug"}}, {RUG}]',
    "box brackets lost": f'[{{"label": "mug", "bbox": 100, 120, 300, 320}}, {RUG}]',
    "brace lost between": f"[{MUG[:-1]}, {RUG}]",
    "brace lost at the end": f"[{MUG}, {RUG[:-1]}]",
    "brackets for braces": f'[["label": "mug", "bbox": [100,120,300,320]], {RUG}]',
    "braces for brackets": f"{{{MUG}, {RUG}}}",
    "stray brace before": f"{{[{MUG}, {RUG}]",
    "stray brace inside": f"[{{{MUG}, {RUG}]",
    "stray brace after a record": f"[{MUG}}}, {RUG}]",
    "stray brace in a wrapper": f'{{"objects": [{MUG}}}, {RUG}]}}',
    "stray brace last in a wrapper": f'{{"objects": [{MUG}, {RUG}}}]}}',
    "stray bracket after a box": f'[{{"bbox": [100,120,300,320]], "label": "mug"}}, {RUG}]',
    "stray bracket at the end": f"[{MUG}, {RUG}]]",
    "list closed too early": f'{{"objects": [{MUG}], {RUG}]}}',
    "braces twice": f'{{{{"objects": [{MUG}, {RUG}]}}}}',
    "flat names and boxes": '{"name": "mug", "box": [100,120,300,320], '
    '"name": "rug", "box": [10,20,30,40]}',
    "flat and numbered": '{"label_1": "mug", "bbox_1": [100,120,300,320], '
    '"label_2": "rug", "bbox_2": [10,20,30,40]}',
    "flat with corners": '{"label": "mug", "x1": 100, "y1": 120, "x2": 300, "y2": 320, '
    '"label": "rug", "x1": 10, "y1": 20, "x2": 30, "y2": 40}',
    "map of boxes": '{"mug": [100,120,300,320], "rug": [10,20,30,40]}',
    "maps of boxes": '[{"mug": [100,120,300,320]}, {"rug": [10,20,30,40]}]',
    "map of records": '{"mug": {"bbox": [100,120,300,320]}, "rug": {"bbox": [10,20,30,40]}}',
    "rows": '[["mug", [100,120,300,320]], ["rug", 10, 20, 30, 40]]',
    "repeats": f"[{MUG}, {MUG}, {RUG}, {MUG}]",
    "box in a list": f'[{{"label": "mug", "bbox": [[100,120,300,320]]}}, {RUG}]',
    "corners in pairs": f'[{{"label": "mug", "bbox": [[100,120],[300,320]]}}, {RUG}]',
    "pairs without a bracket": f'[{{"label": "mug", "bbox": (100,120),(300,320)}}, {RUG}]',
    "box as a text": f'[{{"label": "mug", "bbox": "[100, 120, 300, 320]"}}, {RUG}]',
    "numbers as texts": f'[{{"label": "mug", "bbox": ["100", "120", "300", "320"]}}, {RUG}]',
    "named sides": f'[{{"label": "mug", "left": 100, "top": 120, "right": 300, "bottom": 320}},{RUG}]',
    "sides in an object": f'[{{"label": "mug", "bbox": {{"xmin": 100, "ymin": 120, "xmax": 300, '
    f'"ymax": 320}}}}, {RUG}]',
    "corners from zero": f'[{{"label":"mug","x0":100,"y0":120,"x1":300,"y1":320}},{RUG}]',
    "two keys for one box": f'[{{"label":"mug","bbox":[100,120,300,320],"box":[100,120,300,320]}},{RUG}]',
    "null beside a box": f'[{{"label": "mug", "box": null, "bbox": [100,120,300,320]}},{RUG}]',
    "mask": f'[{{"label": "mug", "mask": "iVBORw0KGgo=", "bbox": [100,120,300,320]}},{RUG}]',
    "polygon beside a box": f'[{{"label":"mug","bbox":[100,120,300,320],"polygon":[[1,2],[3,4],[5,6]]}},{RUG}]',
    "point beside a box": f'[{{"label":"mug","bbox":[100,120,300,320],"center":[200,220]}},{RUG}]',
    "Bounding Box": f'[{{"Label": "mug", "Bounding Box": [100,120,300,320]}},{RUG}]',
    "boundingBox": f'[{{"className": "mug", "boundingBox": [100,120,300,320]}},{RUG}]',
    "coordinates": f'[{{"category": "mug", "coordinates": [100,120,300,320]}},{RUG}]',
    "class and rect": f'[{{"class": "mug", "rect": [100,120,300,320]}},{RUG}]',
    "object and position": f'[{{"object": "mug", "position": [100,120,300,320]}},{RUG}]',
    "name in two languages": f'[{{"label_de": "Becher", "label_en": "mug", "bbox": [100,120,300,320]}},{RUG}]',
    "zero padded": f'[{{"label": "mug", "bbox": [0100, 0120, 300, 320]}}, {RUG}]',
    "exponents and plus": f'[{{"label": "mug", "bbox": [1e2, +120, 3.0E2, 320.]}}, {RUG}]',
    "end token": f"[{MUG}, {RUG}]<|im_end|>",
    "tokens round a box": f'[{{"label": "mug", "bbox": <|box_start|>(100,120),(300,320)<|box_end|>}},{RUG}]',
    "tool call before the answer": f'<tool_call>{{"name": "zoom", "arguments": {RUG}}}</tool_call>\n'
    f"[{MUG}, {RUG}]",
    "tool result before the answer": f'[TOOL_CALL] zoom\n{RUG}\n[TOOL_RESPONSE] zoom\n{{"ok": 1}}\n'
    f"[{MUG}, {RUG}]",
    "reply in a text": '"[' + f"{MUG}, {RUG}".replace('"', '\\"') + ']"',
    "brace lost": f"{MUG[1:]}, {RUG}",
    "list lost its key's brace": f'"objects": [{MUG}, {RUG}]}}',
    "quote lost in a key": f'[{{"label: "mug", "bbox": [100,120,300,320]}}, {RUG}]',
    "quote lost before a key": f'[{{label": "mug", "bbox": [100,120,300,320]}}, {RUG}]',
    "colons lost": f'[{{"label" "mug", "bbox" [100,120,300,320]}}, {RUG}]',
    "semicolons": f'[{{"label": "mug"; "bbox": [100; 120; 300; 320]}}, {RUG}]',
    "columns": '{"labels": ["mug", "rug"], "bboxes": [[100,120,300,320], [10,20,30,40]]}',
    "numbered records": f'{{"object_1": {MUG}, "object_2": {RUG}}}',
    "corners with names": '[{"label": "mug", "bbox": {"top_left": {"x": 100, "y": 120}, '
    f'"bottom_right": {{"x": 300, "y": 320}}}}}}, {RUG}]',
    "size of the image": f'{{"image": {{"width": 640, "height": 480}}, "objects": [{MUG}, {RUG}]}}',
    "final channel": f"<|channel|>analysis<|message|>{RUG}<|channel|>final<|message|>[{MUG}, {RUG}]",
    "list in a text": '{"objects": "[' + f"{MUG}, {RUG}".replace('"', '\\"') + ']"}',
    "tags in a box": f'[{{"label": "mug", "bbox": "<box>100 120 300 320</box>"}}, {RUG}]',
    "regret and boxes": f"Sorry, I cannot see much, only these: [{MUG}, {RUG}]",
}


@pytest.mark.parametrize("raw", WHOLE.values(), ids=WHOLE.keys())
def test_defect_that_costs_nothing(raw: str) -> None:
    assert read(raw) == (AB, True, 0)


CUT = {
    "in a number": f"[{MUG}, " + '{"label": "rug", "bbox": [10, 2',
    "after a box": f"[{MUG}, " + '{"label": "rug", "bbox": [10, 20, 30, 40]',
    "in a label": f"[{MUG}, " + '{"bbox": [10, 20, 30, 40], "label": "ru',
    "after a label": f"[{MUG}, " + '{"bbox": [10, 20, 30, 40], "label": "rug"',
    "before a record": f"[{MUG}, ",
    "after a brace": f"[{MUG}, {{",
    "in a wrapper": f'{{"objects": [{MUG}, ' + '{"la',
    "wrapper not closed": f'{{"objects": [{MUG}]',
    "in a fence": f"```json\n[{MUG},\n" + '{"bbox": [1',
    "in json lines": f"{MUG}\n" + '{"label": "rug", "bbox": [10, 20, 3',
    "in the second array": f"[{MUG}]\n[" + '{"label": "rug"',
    "in single quotes": "[{'label': 'mug', 'bbox': [100,120,300,320]}, {'label': 'ru",
    "in a constant": f"[{MUG}, " + '{"label": "rug", "bbox": [10,20,30,40], "seen": tr',
    "in a map of boxes": '{"mug": [100,120,300,320], "rug": [10, 20, 30, 4',
    "in a flat object": '{"name": "mug", "box": [100,120,300,320], "name": "rug", "box": [10,20,30,40]',
    "after a stray brace": f"{{[{MUG}, " + '{"lab',
    "with a stray brace before": f"[{{{MUG}, " + '{"label": "r',
    "in grounding tokens": "<ref>mug</ref><box>(100,120),(300,320)</box><ref>rug</ref><box>(10,2",
}


@pytest.mark.parametrize("finish_reason", ["length", "stop", None])
@pytest.mark.parametrize("raw", CUT.values(), ids=CUT.keys())
def test_cut_reply_keeps_what_was_whole_and_is_not_complete(
    raw: str, finish_reason: str | None
) -> None:
    assert read(raw, finish_reason=finish_reason) == (A, False, 0)


@pytest.mark.parametrize(
    ("raw", "objects", "dropped"),
    [
        (f'[{{"label": "jar", "bbox": [5, 5, 5, 9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [9, 5, 5, 9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 3]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 3, 4, 5, 6, 7, 8]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": []}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, null, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, NaN, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, Infinity, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, "right", 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 30px, 40px]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1%, 2%, 30%, 40%]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, true, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": "left of the mug"}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 654, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, -10, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [639.5, 2, 650, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [10, 20, 10.9, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [{"9" * 5000}, 2, 3, 4]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "point": [10, 20]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox_2d": [10, 20]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "x": 10, "y": 20}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "polygon": [[1,2],[3,4],[5,6]]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [[1,2],[30,2],[30,40],[1,40]]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox_3d": [1,2,3,4,5,6,7,8,9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1,2,30,40], "bbox": [5,6,70,80]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "x": 1, "y": 2, "w": 30, "width": 31, "h": 40}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "label": "can", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": " ", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": null, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"score": 0.5, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"id": 4, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": null}}, {MUG}]', f"jar; {A}", 0),
        (f'[{{"label": "jar"}}, {MUG}]', f"jar; {A}", 0),
        (f'[{{"label": "jar", "score": 0.4}}, {MUG}]', f"jar; {A}", 0),
        (f'{{"label": "jar"}}\n{MUG}', f"jar; {A}", 0),
        ('[{"label": "mug", "bbox": [-5, 120, 645, 320]}]', "mug 0 120 640 320", 0),
        (
            '[{"label": "mug", "bbox": [[100,120,300,320],[10,20,30,40]]}]',
            f"{A}; mug 10 20 30 40",
            0,
        ),
        ('{"mug": [[100,120,300,320],[10,20,30,40]]}', f"{A}; mug 10 20 30 40", 0),
        (
            f'[{MUG}, {{"label": "mug", "bbox": [101, 120, 300, 320]}}]',
            f"{A}; mug 101 120 300 320",
            0,
        ),
        ('[{"label": "a \\"big\\" mug", "bbox": [10,20,30,40]}]', 'a "big" mug 10 20 30 40', 0),
        ('[{"label": "a 12" pipe", "bbox": [10,20,30,40]}]', 'a 12" pipe 10 20 30 40', 0),
        ("[{'label': 'driver's seat', 'bbox': [10,20,30,40]}]", "driver's seat 10 20 30 40", 0),
        (
            '[{"label": "cup, {blue}: [2]", "bbox": [10,20,30,40]}]',
            "cup, {blue}: [2] 10 20 30 40",
            0,
        ),
        ('[{"label": "T\\u00fcr \\ud83d\\ude00", "bbox": [10,20,30,40]}]', "Tür 😀 10 20 30 40", 0),
        (
            '[{"label": "<think>", "bbox": [10,20,30,40]}]'.replace("<think>", "<b>"),
            "<b> 10 20 30 40",
            0,
        ),
    ],
)
def test_bad_record_goes_and_the_others_stay(raw: str, objects: str, dropped: int) -> None:
    assert read(raw) == (objects, True, dropped)


@pytest.mark.parametrize(
    ("bbox_format", "box", "pixels"),
    [
        ("xyxy_norm1000", "[100, 250, 500, 750]", "64 120 320 360"),
        ("yxyx_norm1000", "[250, 100, 750, 500]", "64 120 320 360"),
        ("xyxy_norm1", "[0.1, 0.25, 0.5, 0.75]", "64 120 320 360"),
        ("cxcywh_norm1", "[0.3, 0.5, 0.4, 0.5]", "64 120 320 360"),
        ("xywh_pixels", "[64, 120, 256, 240]", "64 120 320 360"),
        ("xywh_pixels", '{"x": 64, "y": 120, "width": 256, "height": 240}', "64 120 320 360"),
        ("cxcywh_norm1", '{"cx": 0.3, "cy": 0.5, "w": 0.4, "h": 0.5}', "64 120 320 360"),
        ("yxyx_norm1000", '{"xmin": 100, "ymin": 250, "xmax": 500, "ymax": 750}', "64 120 320 360"),
        ("xyxy_norm1000", '{"ymin": 250, "xmin": 100, "ymax": 750, "xmax": 500}', "64 120 320 360"),
    ],
)
def test_declared_format_decides(bbox_format: str, box: str, pixels: str) -> None:
    assert read(f'[{{"label": "mug", "box_2d": {box}}}]', bbox_format) == (
        f"mug {pixels}",
        True,
        0,
    )


@pytest.mark.parametrize(
    "raw",
    [
        "<ref>mug</ref><box>(100,120),(300,320)</box><ref>rug</ref><box>(10,20),(30,40)</box>",
        "<ref>mug</ref><box>[[100,120,300,320]]</box><ref>rug</ref><box>[[10, 20, 30, 40]]</box>",
        "<|object_ref_start|>mug<|object_ref_end|><|box_start|>(100,120),(300,320)<|box_end|>"
        "<|object_ref_start|>rug<|object_ref_end|><|box_start|>(10,20),(30,40)<|box_end|><|im_end|>",
        "<|ref|>mug<|/ref|><|det|>[[100, 120, 300, 320]]<|/det|>\n"
        "<|ref|>rug<|/ref|><|det|>[[10, 20, 30, 40]]<|/det|>",
    ],
)
def test_grounding_tokens_areread(raw: str) -> None:
    assert read(raw) == (AB, True, 0)


def test_two_boxes_of_one_name_in_grounding_tokens_are_two_objects() -> None:
    raw = "<|ref|>mug<|/ref|><|det|>[[100, 120, 300, 320], [10, 20, 30, 40]]<|/det|>"
    assert read(raw) == (f"{A}; mug 10 20 30 40", True, 0)
