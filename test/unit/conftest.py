"""How hypothesis runs here: no deadline, since machines are shared, and nothing kept on disk."""

from hypothesis import settings

settings.register_profile("robot_memory", deadline=None, database=None)
settings.load_profile("robot_memory")
