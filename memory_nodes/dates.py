"""Time as people say it: dates, days and their parts, in the robot's time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory_nodes.errors import ConfigurationError
from memory_nodes.records import NS_PER_S

DAY_S = 86_400
FIRST_DATE_NS = 946_684_800 * NS_PER_S
"""The year 2000. What is before it is no date: simulated time, which starts at 0."""
PARTS_OF_DAY = {
    "morning": (5, 12),
    "noon": (12, 14),
    "afternoon": (14, 18),
    "evening": (18, 22),
    "night": (22, 29),
}
"""The hour with which each begins, and that with which it ends: the night at 5 of the next day."""


@dataclass(frozen=True)
class Dates:
    """Says stamps in words.

    ``time_zone``: its IANA name; empty for that of the machine. Raises ConfigurationError for one
    that is unknown.
    """

    time_zone: str = ""

    def __post_init__(self) -> None:
        if self.time_zone:
            self._zone  # noqa: B018 tells at once

    def moment(self, stamp_ns: int) -> str:
        """'Tue 1 Dec 2026 14:05'; of simulated time '0:12:05 after the start'."""
        if not is_date(stamp_ns):
            return f"{_elapsed(stamp_ns)} after the start"
        return f"{self.day(stamp_ns)} {self.clock(stamp_ns)}"

    def iso(self, stamp_ns: int) -> str:
        """'2026-12-01T14:05:30+01:00'; of simulated time '0:12:05 after the start'."""
        if not is_date(stamp_ns):
            return self.moment(stamp_ns)
        moment = self.local(stamp_ns)
        # for the zone of the machine too, whose offset is that of the moment
        return moment.astimezone(moment.tzinfo).isoformat()

    def clock(self, stamp_ns: int) -> str:
        """'14:05'; of simulated time '0:12:05'."""
        if not is_date(stamp_ns):
            return _elapsed(stamp_ns)
        return f"{self.local(stamp_ns):%H:%M}"

    def day(self, stamp_ns: int) -> str:
        """'Tue 1 Dec 2026'; of simulated time 'day 1'."""
        if not is_date(stamp_ns):
            return f"day {stamp_ns // (DAY_S * NS_PER_S) + 1}"
        day = self.date_of(stamp_ns)
        return f"{day:%a} {day.day} {day:%b %Y}"

    def span(self, start_ns: int, end_ns: int) -> str:
        """'Tue 1 Dec 2026 14:05 to 14:30'; the day is said twice only where there are two."""
        if self.moment(start_ns) == self.moment(end_ns):
            return self.moment(start_ns)
        if not is_date(start_ns):
            return f"{self.clock(start_ns)} to {self.moment(end_ns)}"
        is_one_day = self.date_of(start_ns) == self.date_of(end_ns)
        end = self.clock(end_ns) if is_one_day else self.moment(end_ns)
        return f"{self.moment(start_ns)} to {end}"

    def part_of_day(self, stamp_ns: int) -> str:
        """'morning', 'afternoon' and so on; of simulated time too, which starts at midnight."""
        hour = self.local(stamp_ns).hour
        if hour < PARTS_OF_DAY["morning"][0]:
            hour += 24
        return next(part for part, (first, end) in PARTS_OF_DAY.items() if first <= hour < end)

    def date_of(self, stamp_ns: int) -> date:
        """The calendar day; simulated time starts on 1 January 1970."""
        return self.local(stamp_ns).date()

    def start_ns(self, day: date) -> int:
        """When a calendar day begins."""
        return self.stamp_ns(datetime(day.year, day.month, day.day))

    def stamp_ns(self, wall: datetime) -> int:
        """When the clock on the wall shows this date and time, which are of no zone."""
        zone = timezone.utc if wall.year < 2000 else self._zone
        moment = wall.astimezone() if zone is None else wall.replace(tzinfo=zone)
        return round(moment.timestamp()) * NS_PER_S

    def local(self, stamp_ns: int) -> datetime:
        """Date and time of the clock on the wall; simulated time is in no zone."""
        since = timedelta(seconds=stamp_ns // NS_PER_S)
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + since
        return moment.astimezone(self._zone) if is_date(stamp_ns) else moment

    @cached_property
    def _zone(self) -> tzinfo | None:
        """None for that of the machine."""
        if not self.time_zone:
            return None
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ConfigurationError(
                f"time_zone is {self.time_zone!r}, give a name like Europe/Berlin, or none for "
                "that of the machine"
            ) from error


def is_date(stamp_ns: int) -> bool:
    """Whether a stamp is of the calendar, not of simulated time."""
    return stamp_ns >= FIRST_DATE_NS


def _elapsed(stamp_ns: int) -> str:
    """'0:12:05', hours first."""
    minutes, seconds = divmod(stamp_ns // NS_PER_S, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"
