"""A moment, a day or a while, as it is said, read at one place of a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple, TypeAlias

from dateutil.parser import ParserError, isoparse, parse
from dateutil.relativedelta import relativedelta, weekday

from memory_nodes.dates import PARTS_OF_DAY, Dates, is_date
from memory_nodes.records import NS_PER_S

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600}
_SHORT = {"s": "second", "m": "minute", "min": "minute", "h": "hour", "d": "day", "w": "week"}
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {
    **{"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "half": 0.5},
    **{"couple of": 2.0, "a couple of": 2.0, "few": 3.0, "a few": 3.0, "several": 3.0},
    **{word: float(number) for number, word in enumerate(_NUMBERS, 1)},
    **{"fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0},
}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:the )?"
    rf"(?P<date>(?:{_NTH}(?: of)? {_MONTH}|{_MONTH} (?:the )?{_NTH})\b(?:,? \d{{4}}\b)?)"
)
_COUNT = rf"(?P<count>\d{{1,4}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>second|minute|hour|day|week|month|year)s?\b"
_DAY = (
    r"(?:(?P<day>today|yesterday|(?:the )?day before yesterday)\b"
    rf"|{_DATE}|(?P<last>last )?(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    r"|day (?P<number>\d{1,6})\b|(?P<iso>\d{4}-\d\d-\d\d)\b)"
)
_PART = rf"(?P<part>{'|'.join(PARTS_OF_DAY)})\b"
_CLOCK = (
    rf"(?:(?P<hour>\d{{1,2}}(?=:\d\d| ?(?:o'clock|[ap]m)\b)|(?:{'|'.join(_NUMBERS)})(?= o'clock))"
    r"(?::(?P<minute>\d\d))?(?: ?(?:o'clock|(?P<half>[ap]m)))?\b|(?P<midnight>midnight)\b)"
)
_MERE_HOUR = r"(?P<mere>\d{1,2})(?= ?(?:$|[?.!,;]|(?:and|to|until|till|-) \d))"
_OF_DAY = r",? (?:in |at |during )?(?:the )?"
"""Between a day and what of it is meant."""


class Stretch(NamedTuple):
    """From one stamp to another, both inclusive."""

    start_ns: int
    end_ns: int
    around_ns: int = 0
    """How exactly it is meant: "an hour ago" is half an hour sooner or later."""


class MomentReader:
    """Reads what is said at a moment, by the clock on the wall there."""

    def __init__(self, now_ns: int, dates: Dates) -> None:
        self.now_ns = now_ns
        self._dates = dates
        self._now = dates.local(now_ns).replace(tzinfo=None)
        self._has_calendar = is_date(now_ns)

    def read(
        self, text: str, start: int, is_led: bool = False
    ) -> tuple[Stretch | None, int] | None:
        """What is said from there on, and where that ends; None for what is no time.

        Nothing is meant by what no clock or calendar shows: 31 February, 25:00, Mondays of
        simulated time. ``is_led``: a word before it leads to a time, so that a mere "9" or "May"
        is one.
        """
        for pattern, meaning in (*_RULES, *_LED_RULES) if is_led else _RULES:
            found = pattern.match(text, start)
            if found is not None:
                try:
                    return meaning(self, found), found.end()
                except (ValueError, OverflowError):
                    return None, found.end()
        return None

    def _shorthand(self, found: re.Match[str]) -> Stretch:
        return self._at(self._back(float(found["count"]), _SHORT[found["short"].lower()]))

    def _iso(self, found: re.Match[str]) -> Stretch | None:
        moment = isoparse(found[0].upper().replace(" ", "T"))
        if not self._has_calendar:
            return None
        if moment.tzinfo is None:
            return self._at(self._dates.stamp_ns(moment))
        return self._at(round(moment.timestamp()) * NS_PER_S)

    def _ago(self, found: re.Match[str]) -> Stretch:
        unit = found["unit"].lower()
        then_ns = self._back(_count(found["count"]), unit)
        if unit in _SECONDS:
            return Stretch(then_ns, then_ns, _SECONDS[unit] * NS_PER_S // 2)
        return self._whole(self._dates.date_of(then_ns))

    def _last(self, found: re.Match[str]) -> Stretch | None:
        """The last week is seven days until now; last week ended on Sunday."""
        unit, count = found["unit"].lower(), found["count"]
        is_while = found["the"] or count or found["which"].lower() == "past"
        if is_while or unit in _SECONDS or unit == "day":
            return Stretch(self._back(_count(count or "a"), unit), self.now_ns)
        begin = self._begin_of(unit)
        if begin is None:
            return None
        before = begin - _long(1, unit)
        return Stretch(self._dates.start_ns(before), self._dates.start_ns(begin) - 1)

    def _this(self, found: re.Match[str]) -> Stretch | None:
        begin = self._begin_of(found["unit"].lower())
        return None if begin is None else Stretch(self._dates.start_ns(begin), self.now_ns)

    def _day(self, found: re.Match[str]) -> Stretch | None:
        """A day, a part of it, or what its clock shows."""
        day = self._date(found)
        if day is None:
            return None
        return self._on(day, found) or self._whole(day)

    def _latest(self, found: re.Match[str]) -> Stretch | None:
        """This morning, tonight, 9 o'clock: the last that has begun."""
        today = self._now.date()
        latest = self._on(today, found)
        if latest is None or latest.start_ns <= self.now_ns:
            return latest
        return self._on(today - timedelta(days=1), found)

    def _yesterdays(self, found: re.Match[str]) -> Stretch | None:
        """Last night."""
        return self._on(self._now.date() - timedelta(days=1), found)

    def _month(self, found: re.Match[str]) -> Stretch | None:
        if not self._has_calendar:
            return None
        begin = self._calendar_date(f"1 {found[0]}")
        return Stretch(
            self._dates.start_ns(begin),
            self._dates.start_ns(begin + relativedelta(months=1)) - 1,
        )

    def _date(self, found: re.Match[str]) -> date | None:
        """None where that takes a calendar, and there is none, or the other way round."""
        today = self._now.date()
        if found["day"]:
            back = {"today": 0, "yesterday": 1}.get(found["day"].lower(), 2)
            return today - timedelta(days=back)
        if found["number"]:
            counted = date(1970, 1, 1) + timedelta(days=int(found["number"]) - 1)
            return None if self._has_calendar else counted
        if not self._has_calendar:
            return None
        if found["weekday"]:
            newest = today - timedelta(days=1) if found["last"] else today
            named = weekday(_WEEKDAYS.index(found["weekday"].lower()))
            latest: date = newest + relativedelta(weekday=named(-1))
            return latest
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        return self._calendar_date(found["date"])

    def _calendar_date(self, text: str) -> date:
        """The last that was, where no year is said. Raises ValueError where there is none."""
        plain = text.lower().replace(" the ", " ")
        for year in range(self._now.year, self._now.year - 9, -1):
            try:
                found: date = parse(plain, default=datetime(year, 1, 1)).date()
            except ParserError:
                continue  # 29 February
            if found <= self._now.date() or re.search(r"\d{4}", plain):
                return found
        raise ValueError(f"no such day: {text}")

    def _begin_of(self, unit: str) -> date | None:
        """Of this week, month or year; simulated time has none of these."""
        today = self._now.date()
        if not self._has_calendar:
            return None
        if unit == "week":
            return today - timedelta(days=today.weekday())
        return today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)

    def _back(self, count: float, unit: str) -> int:
        """So long before now; days, weeks, months and years by the clock on the wall."""
        if unit in _SECONDS:
            return self.now_ns - round(count * _SECONDS[unit] * NS_PER_S)
        if not count.is_integer():
            raise ValueError(f"{count} {unit}s have no certain length")
        then = self._now.replace(microsecond=0) - _long(int(count), unit)
        return self._dates.stamp_ns(then) + self.now_ns % NS_PER_S

    def _whole(self, day: date) -> Stretch:
        after = day + timedelta(days=1)
        return Stretch(self._dates.start_ns(day), self._dates.start_ns(after) - 1)

    def _on(self, day: date, found: re.Match[str]) -> Stretch | None:
        """A part of a day, or what its clock shows; None where neither is said."""
        said = {key: text.lower() for key, text in found.groupdict().items() if text}
        if "part" in said or "tonight" in said:
            hours = PARTS_OF_DAY[said.get("part", "night")]
            first_ns, end_ns = (self._hour_ns(day, hour) for hour in hours)
            return Stretch(first_ns, end_ns - 1)
        if "midnight" in said:
            said["hour"] = "0"
        if "hour" not in said and "mere" not in said:
            return None
        hour = int(_count(said.get("hour") or said["mere"]))
        if hour > (12 if "half" in said else 24):
            raise ValueError(f"no clock shows {found[0]}")
        if "half" in said:
            hour = hour % 12 + (12 if said["half"] == "pm" else 0)
        stamp_ns = self._hour_ns(day, hour, int(said.get("minute", "0")))
        return Stretch(stamp_ns, stamp_ns, (30 if "minute" in said else 1_800) * NS_PER_S)

    def _hour_ns(self, day: date, hour: int, minute: int = 0) -> int:
        """``hour``: from 24 on of the next day."""
        days, hour = divmod(hour, 24)
        clock = datetime.combine(day + timedelta(days=days), time(hour, minute))
        return self._dates.stamp_ns(clock)

    def _at(self, stamp_ns: int) -> Stretch:
        return Stretch(stamp_ns, stamp_ns)


def _count(text: str) -> float:
    return float(text) if text.isdecimal() else _COUNTS[text.lower()]


def _long(count: int, unit: str) -> relativedelta:
    lengths = {f"{unit}s": count}
    return relativedelta(**lengths)


_Meaning: TypeAlias = Callable[[MomentReader, re.Match[str]], Stretch | None]


def _rule(pattern: str, meaning: _Meaning) -> tuple[re.Pattern[str], _Meaning]:
    return re.compile(pattern, re.IGNORECASE), meaning


_RULES = (
    _rule(r"-(?P<count>\d{1,6}) ?(?P<short>s|min|m|h|d|w)\b", MomentReader._shorthand),
    _rule(
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?(?!\w)",
        MomentReader._iso,
    ),
    _rule(rf"{_COUNT} {_UNIT} (?:ago|earlier)\b", MomentReader._ago),
    _rule(rf"(?P<the>the )?(?P<which>last|past) (?:{_COUNT} )?{_UNIT}", MomentReader._last),
    _rule(r"this (?P<unit>week|month|year)\b", MomentReader._this),
    _rule(rf"(?:the )?{_PART} (?:of |on )?{_DAY}", MomentReader._day),
    _rule(rf"{_CLOCK} (?:on )?{_DAY}", MomentReader._day),
    _rule(rf"{_DAY}(?:{_OF_DAY}(?:{_PART}|{_CLOCK}|{_MERE_HOUR}))?", MomentReader._day),
    _rule(rf"last {_PART}", MomentReader._yesterdays),
    _rule(rf"(?P<tonight>tonight)\b|(?:the |this )?{_PART}", MomentReader._latest),
    _rule(_CLOCK, MomentReader._latest),
)
_LED_RULES = (
    _rule(rf"(?P<mere>\d{{1,2}}) (?:on )?{_DAY}", MomentReader._day),
    _rule(_MERE_HOUR, MomentReader._latest),
    _rule(rf"{_MONTH}\b(?: \d{{4}}\b)?", MomentReader._month),
)
