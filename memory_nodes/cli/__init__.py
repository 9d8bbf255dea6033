"""The command line: one file a command, none of which needs ROS."""
