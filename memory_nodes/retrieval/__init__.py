"""From a question to the keyframes and the part of the graph that answer it."""
