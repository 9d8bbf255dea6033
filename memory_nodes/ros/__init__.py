"""What all nodes share of ROS: parameters, conversions, transforms, endpoints, life cycle."""
