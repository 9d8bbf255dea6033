# An image for a robot's computer: ROS 2 Jazzy with the suite, run by a user of its own.
#
# It was not built where it was written, for want of Docker there; its commands are those of the README.
#
#   docker build --build-arg UID=$(id -u) -t robot_memory .
#   docker run --rm -it --network host --ipc host -v ~/.robot_memory:/memory robot_memory \
#     ros2 launch robot_memory memory.launch.py memory_dir:=/memory image_topic:=/camera/color/image_raw/compressed
#
# The user has the id of the one who runs the robot's other nodes: Fast DDS hands messages to processes
# on the same machine through shared memory, which only the same user can open.
FROM ros:jazzy-ros-base

SHELL ["/bin/bash", "-c"]
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      python3-colcon-common-extensions python3-venv \
    && rm -rf /var/lib/apt/lists/*

# What the package needs, in layers that an edit of its code leaves as they are. RViz runs elsewhere.
WORKDIR /ws
COPY package.xml src/robot_memory/
RUN apt-get update && rosdep update --rosdistro jazzy \
    && DEBIAN_FRONTEND=noninteractive rosdep install --from-paths src --ignore-src -y \
      --dependency-types buildtool --dependency-types build --dependency-types exec \
      --skip-keys "python3-openai-pip rviz2" \
    && rm -rf /var/lib/apt/lists/*
COPY requirements src/robot_memory/requirements
# ROS was built against the numpy of the system: another one would break its messages.
RUN python3 -m venv --system-site-packages venv && touch venv/COLCON_IGNORE \
    && venv/bin/pip install --no-cache-dir "numpy==$(python3 -c 'import numpy; print(numpy.__version__)')" \
      -r src/robot_memory/requirements/library.in -r src/robot_memory/requirements/agents.in

COPY . src/robot_memory
RUN source /opt/ros/jazzy/setup.bash \
    && colcon build --packages-select robot_memory --cmake-args -DBUILD_TESTING=OFF \
      -DROBOT_MEMORY_TEST_SUPPORT=OFF -DPython3_EXECUTABLE=/ws/venv/bin/python \
    && rm -rf build log

# Ubuntu's image has a user of id 1000 already.
ARG UID=1000
RUN { userdel --remove ubuntu || true; } && useradd --create-home --uid "$UID" robot \
    && mkdir /memory && chown robot /memory
USER robot
WORKDIR /home/robot
VOLUME /memory

# Ctrl-C is what ros2 launch ends its nodes by.
STOPSIGNAL SIGINT
ENTRYPOINT ["/bin/bash", "-c", "source /ws/install/setup.bash && exec \"$0\" \"$@\""]
CMD ["ros2", "launch", "robot_memory", "memory.launch.py", "memory_dir:=/memory"]
