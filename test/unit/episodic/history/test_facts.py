"""Facts are short lists that can be read back from a node's text."""

from __future__ import annotations

from memory_nodes.episodic.history.facts import Facts, Mention, Section, clean, read


def test_lists_stand_under_their_labels_in_a_fixed_order() -> None:
    facts = Facts()
    facts.add(Section.OBJECTS, "mug")
    facts.add(Section.TASKS, "make coffee", Mention(1, ("09:10",)))
    limits = {Section.TASKS: 100, Section.OBJECTS: 100}
    assert facts.text(limits) == "Tasks: make coffee (09:10). Saw: mug."


def test_what_is_written_is_read_back() -> None:
    facts = Facts()
    facts.add(Section.TASKS, "make coffee", Mention(2, ("09:10", "15:20")))
    facts.add(Section.TASKS, "water the plant", Mention(3))
    facts.add(Section.OBJECTS, "mug")
    text = facts.text({Section.TASKS: 200, Section.OBJECTS: 100})
    assert text == "Tasks: make coffee x2 (09:10, 15:20), water the plant x3. Saw: mug."
    again = read(text)
    assert again[Section.TASKS] == {
        "make coffee": Mention(2, ("09:10", "15:20")),
        "water the plant": Mention(3),
    }
    assert list(again[Section.OBJECTS]) == ["mug"]


def test_facts_are_read_from_the_last_line_only() -> None:
    facts = read("Tasks: this is prose. Saw: nothing.\nTasks: make tea.")
    assert list(facts[Section.TASKS]) == ["make tea"]
    assert not facts[Section.OBJECTS]


def test_what_would_part_the_lists_is_taken_out_of_a_name() -> None:
    assert (
        clean(" please, make coffee; now (hot).\nSaw: me ") == "please make coffee now hot . Saw me"
    )
    facts = Facts()
    facts.add(Section.SAID, "Stop. Saw: a cat, a dog")
    facts.add(Section.SAID, " ,.")
    text = facts.text({Section.SAID: 100})
    assert text == "Said: Stop. Saw a cat a dog."
    assert list(read(text)[Section.SAID]) == ["Stop. Saw a cat a dog"]
    assert not read(text)[Section.OBJECTS]


def test_of_a_list_that_is_too_long_the_rarest_stay_in_order() -> None:
    facts = Facts()
    for name, count in (("sofa", 5), ("mug", 2), ("trophy", 1), ("lamp", 4)):
        facts.add(Section.OBJECTS, name, Mention(count))
    # 'mug, trophy' has 11 characters; ', lamp' more would be 17
    assert facts.text({Section.OBJECTS: 16}) == "Saw: mug, trophy."


def test_of_tasks_it_is_said_how_many_are_left_out() -> None:
    facts = Facts()
    for name in ("make tea", "water the plant", "tidy", "sleep"):
        facts.add(Section.TASKS, name)
    text = facts.text({Section.TASKS: 14})
    assert text == "Tasks: make tea, tidy, and 2 more."
    assert list(read(text)[Section.TASKS]) == ["make tea", "tidy"]


def test_a_list_without_a_limit_is_left_out() -> None:
    facts = Facts()
    facts.add(Section.STEPS, "walk")
    assert facts.text({Section.TASKS: 100}) == ""


def test_mentions_of_one_name_are_counted() -> None:
    facts = Facts()
    facts.add(Section.TASKS, "make tea", Mention(1, ("09:00",)))
    facts.add(Section.TASKS, "make tea", Mention(2, ("10:00", "11:00")))
    assert facts[Section.TASKS]["make tea"] == Mention(3, ("09:00", "10:00", "11:00"))
    # more than two times are not listed
    assert facts.text({Section.TASKS: 100}) == "Tasks: make tea x3."
