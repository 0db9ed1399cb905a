"""What `export skypilot --format python` uses of SkyPilot, with its names: resources, a task, its estimator."""
import enum

import yaml


class OptimizeTarget(enum.Enum):
    COST = 0
    TIME = 1


class Resources:
    def __init__(self, infra, instance_type, accelerators, use_spot):
        self.cloud, _, region = infra.partition("/")
        self.cloud = self.cloud.upper()
        self.region = region or None
        self.instance_type = instance_type
        self.use_spot = use_spot
        gpu, _, count = (accelerators or "").partition(":")
        self.accelerators = {gpu: int(count)} if gpu else None

    def __repr__(self):
        return f"{self.cloud}({self.instance_type}{'[Spot]' if self.use_spot else ''}, {self.region})"


class Dag:
    current = None

    def __enter__(self):
        self.tasks = []
        Dag.current = self
        return self

    def __exit__(self, *_):
        Dag.current = None


class Task:
    @staticmethod
    def from_yaml(path):
        task = Task()
        task.config = yaml.safe_load(open(path))
        Dag.current.tasks.append(task)
        return task

    def set_resources(self, resources):
        self.resources = resources

    def set_time_estimator(self, estimator):
        self.estimator = estimator


def launch(task):
    print("launched", task.resources, "on", task.num_nodes)
