"""What tests, the demonstration and the benchmark share: a robot to talk to where there is none."""
