"""Epochs of a real training: a torch DataLoader in front of a model that learns.  validate.py runs them.

Each setting says how batches come to the GPU and whether the loop waits for its steps.
"""
import collections
import sys
import time

import devices
import torch
from torch.utils.data import DataLoader

import samples

# How a batch comes to the GPU, and what the scenario's keys say of it.
COPIES = {
    "pageable": {"pin_memory": False, "non_blocking": False},
    "pinned": {"pin_memory": True, "non_blocking": False},
    # PyTorch queues the copy in the step's own stream: only the host does not wait for it.
    "non_blocking": {"pin_memory": True, "non_blocking": True, "copy_stream": "step"},
    "side_stream": {"pin_memory": True, "non_blocking": True, "copy_stream": "side"},
}
STEPS = {"async": True, "item": False}  # whether the loop goes on without waiting for its step
MODELS = ["resnet18", "resnet50", "tiny"]

Setting = collections.namedtuple("Setting", "workers prefetch batch copies step")


def tiny():
    """A model for rehearsals: the parts of a real one, and hardly any work."""
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=4), nn.BatchNorm2d(8), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 1000))


def model_named(name):
    if name == "tiny":
        return tiny()
    import torchvision
    return getattr(torchvision.models, name)(weights=None)


def samples_and_labels(made):
    """Of a batch as classification datasets give them."""
    if isinstance(made, (list, tuple)) and len(made) == 2 and \
            all(isinstance(part, torch.Tensor) for part in made) and made[0].dim() == 4:
        return made
    raise SystemExit("validate.py --device: expected a dataset of (image, label), where an image is "
                     "a tensor of channels, height and width and a label a number")


class Trainer:
    """A model with random weights, and one training step of it as step_time.py times it."""

    def __init__(self, name, device, amp, channels_last):
        self.device, self.amp = device, amp
        self.form = torch.channels_last if channels_last else torch.contiguous_format
        torch.backends.cudnn.benchmark = True  # shapes do not change, as in a real training
        self.model = model_named(name).to(device).to(memory_format=self.form).train()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001, momentum=0.9)
        self.loss_of = torch.nn.CrossEntropyLoss()
        self.side = torch.cuda.Stream(device) if device.type == "cuda" else None

    def step(self, inputs, labels):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.amp):
            loss = self.loss_of(self.model(inputs), labels)
        loss.backward()
        self.optimizer.step()
        return loss

    def upload(self, made, copies):
        """A batch on the GPU, for the steps that are launched from now on."""
        inputs, labels = samples_and_labels(made)
        non_blocking = COPIES[copies]["non_blocking"]
        if copies != "side_stream" or self.side is None:
            inputs = inputs.to(self.device, non_blocking=non_blocking)
            labels = labels.to(self.device, non_blocking=non_blocking)
        else:
            # While the GPU is at the step before, for the host runs ahead of it.
            with torch.cuda.stream(self.side):
                inputs = inputs.to(self.device, non_blocking=True)
                labels = labels.to(self.device, non_blocking=True)
            current = torch.cuda.current_stream(self.device)
            current.wait_stream(self.side)
            for tensor in (inputs, labels):
                tensor.record_stream(current)  # its memory is not the side stream's before
        return inputs.contiguous(memory_format=self.form), labels

    def alone(self, shape, steps=10, warm_up=5):
        """Seconds of a step without a loader, of many in a row."""
        inputs = torch.randn(*shape, device=self.device).contiguous(memory_format=self.form)
        labels = torch.zeros(shape[0], dtype=torch.long, device=self.device)
        for _ in range(warm_up):
            self.step(inputs, labels)
        devices.finish(self.device)
        start = time.perf_counter()
        for _ in range(steps):
            self.step(inputs, labels)
        devices.finish(self.device)
        return (time.perf_counter() - start) / steps


class Training:
    """What validate.py varies, and how long an epoch of each setting takes."""

    def __init__(self, arguments, device, dataset, cost, cores):
        self.arguments, self.device, self.dataset = arguments, device, dataset
        self.trainer = Trainer(arguments.model, device, arguments.amp, arguments.channels_last)
        shape = samples_and_labels(torch.utils.data.default_collate([dataset[0]]))[0].shape[1:]
        self.alone = {}  # batch -> seconds of a step
        for batch in sorted(set(arguments.batch_size)):
            try:
                self.alone[batch] = self.trainer.alone((batch, *shape))
            except RuntimeError as error:
                if not devices.no_memory(error):
                    raise
                print(f"batches of {batch} and more are left out: the GPU has not enough memory",
                      file=sys.stderr)
                break
        if not self.alone:
            raise SystemExit("validate.py: no batch size fits into the GPU's memory")
        self.planned = {setting: self.plan(setting, cost, cores) for setting in self.chosen()}

    def chosen(self):
        a = self.arguments
        return [Setting(workers, prefetch, batch, copies, step)
                for batch in self.alone for workers in a.workers
                for prefetch in (a.prefetch if workers else [None])
                for copies in a.copies for step in a.steps]

    def plan(self, setting, cost, cores):
        """Batches of an epoch, and about how long it takes: so long as was asked for, and whole
        rounds of the workers."""
        loader = cost * setting.batch / max(1, min(setting.workers, cores))
        each = max(loader, self.alone[setting.batch])
        least = max(8, 2 * setting.workers * (setting.prefetch or 1))
        batches = self.arguments.batches or max(least, round(self.arguments.epoch_seconds / each))
        return batches, batches * each

    def settings(self):
        return list(self.planned)

    def expected(self, setting):
        return self.planned[setting][1]

    def epoch(self, setting):
        """Wall time from making the loader's iterator to the end of the last step."""
        batches = self.planned[setting][0]
        options = {"prefetch_factor": setting.prefetch} if setting.workers else {}
        loader = DataLoader(samples.Cycled(self.dataset, setting.batch * batches),
                            batch_size=setting.batch, num_workers=setting.workers,
                            pin_memory=COPIES[setting.copies]["pin_memory"], **options)
        waits = not STEPS[setting.step]
        devices.finish(self.device)
        start = time.perf_counter()
        for made in loader:
            loss = self.trainer.step(*self.trainer.upload(made, setting.copies))
            if waits:
                loss.item()
        devices.finish(self.device)
        return time.perf_counter() - start

    def name(self, setting):
        ahead = "" if setting.prefetch is None else f", prefetch {setting.prefetch}"
        step = "asynchronous" if STEPS[setting.step] else "loss.item()"
        return (f"batch {setting.batch}, {setting.workers} worker{'' if setting.workers == 1 else 's'}"
                f"{ahead}, {setting.copies.replace('_', ' ')}, {step}")

    def changes(self, setting):
        """Of the scenario, by the setting."""
        copies = COPIES[setting.copies]
        made = {"num_workers": setting.workers, "batch_size": setting.batch,
                "/dataset/samples": setting.batch * self.planned[setting][0],
                "/loader/pin_memory": copies["pin_memory"],
                "/job/asynchronous_step": STEPS[setting.step]}
        if setting.prefetch is not None:
            made["prefetch_factor"] = setting.prefetch
        if STEPS[setting.step] and copies["non_blocking"]:  # nothing is left to overlap otherwise
            made["/job/non_blocking"] = True
            made["/job/copy_stream"] = copies["copy_stream"]
        return made

    def bottleneck_is_gpu(self, measured, setting):
        """Not known: a loader in front of a GPU that steps for real never runs alone."""
        return None

    def title(self):
        a = self.arguments
        words = [a.model] + ["bfloat16"] * a.amp + ["channels_last"] * a.channels_last
        return f"PyTorch training of {', '.join(words)} ({devices.described(self.device)})"

    def job(self):
        """The step is the profile's."""
        return {"epochs": 2}

    def cluster(self):
        rates = {"gpus_per_instance": 1, "price": "0 USD/h"}
        if self.device.type != "cuda":  # nothing was copied anywhere
            rates.update(pageable_bandwidth="1000 TB/s", pinned_bandwidth="1000 TB/s",
                         copy_latency="0 s")
        return rates
