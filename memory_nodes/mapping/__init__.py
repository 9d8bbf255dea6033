"""Which map the robot is on, and how that map moves: poses follow it."""
