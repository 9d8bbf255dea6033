"""A memory from a recording, without ROS and without waiting for its clock."""
