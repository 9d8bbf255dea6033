"""What the robot perceives besides pictures: topics put into words. Source: eMEM, layers."""
