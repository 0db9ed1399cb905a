"""What --loader may name besides a dataset with __getitem__: an iterable dataset, a DataLoader, any
iterator of batches, or a function that makes one of them.

An iterable dataset is measured through an index: each worker goes round an iterator of its own, as
torch's own workers do, so that a dataset that asks which worker it is in divides its files.
"""
import inspect
import itertools
import os
import sys

import torch.utils.data


class Flowing(torch.utils.data.Dataset):
    """An iterable as a dataset whose next sample is at every index; begun anew where it ends, and in
    each process that asks: what a worker inherits is not its own."""

    def __init__(self, iterable):
        self.iterable = iterable
        self.flow = None
        self.owner = None

    def __len__(self):
        return 1 << 30

    def __getitem__(self, _):
        info = torch.utils.data.get_worker_info()
        me = (os.getpid(), info.id if info else None)
        if me != self.owner:
            self.flow, self.owner = None, me
        for _ in range(2):
            if self.flow is None:
                self.flow = iter(self.iterable)
            try:
                return next(self.flow)
            except StopIteration:
                self.flow = None
        return sys.exit("the iterable ends before its first sample" +
                        (" in one of the workers" if info else ""))

    def __getstate__(self):
        return {"iterable": self.iterable, "flow": None, "owner": None}


class Called:
    """An iterable of what a function yields, which is called again for each turn."""

    def __init__(self, function):
        self.function = function

    def __iter__(self):
        return iter(self.function())


class Picked(torch.utils.data.Dataset):
    """What a sampler asks a dataset for, item by item."""

    def __init__(self, dataset, sampler):
        self.dataset = dataset
        self.asked = list(itertools.islice(iter(sampler), 4096))
        if not self.asked:
            sys.exit("the loader's sampler asks for nothing")

    def __len__(self):
        return len(self.asked)

    def __getitem__(self, index):
        return self.dataset[self.asked[index]]


class Source:
    """What is measured. `own_batches`: each item of the dataset is a batch of so many samples; 0:
    samples are collated. `opaque`: batches come from threads or processes that are not torch's."""

    def __init__(self, dataset, collate=None, batch=None, own_batches=0, opaque=None, told=(),
                 started=None, context=None):
        self.dataset = dataset
        self.collate = collate or (torch.utils.data.default_convert if own_batches
                                   else torch.utils.data.default_collate)
        self.batch = batch
        self.own_batches = own_batches
        self.opaque = opaque
        self.started = started
        self.context = context
        self.told = list(told)

    @property
    def each(self):
        """Samples of an item."""
        return max(self.own_batches, 1)

    def loader(self, dataset, batch, workers, collate=None):
        """A DataLoader of `batch` items; of one that is a batch already."""
        return torch.utils.data.DataLoader(
            dataset, batch_size=None if self.own_batches else batch, num_workers=workers,
            collate_fn=collate or self.collate, worker_init_fn=self.started,
            multiprocessing_context=self.context if workers else None)

    def start_here(self):
        """What a worker does before its first sample, done in this process, which makes some too."""
        if self.started is not None:
            self.started(0)


def leaves_of(batch):
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        return [leaf for value in batch for leaf in leaves_of(value)]
    return [batch]


def samples_in(batch):
    """Samples of a batch: the length of its first tensor, array or list."""
    for leaf in leaves_of(batch):
        if hasattr(leaf, "shape") and len(leaf.shape) > 0:
            return int(leaf.shape[0])
    if isinstance(batch, (list, tuple)) and batch:
        return len(batch)
    return 1


def transport_of(batch):
    """How workers hand such a batch over, in the words of /loader/transport."""
    other = [leaf for leaf in leaves_of(batch) if not isinstance(leaf, torch.Tensor)]
    if not other:
        return "batches are tensors, which workers hand over in shared memory"
    return (f"of a batch's {len(leaves_of(batch))} parts {len(other)} are no tensors and are pickled "
            "(/loader/transport: pickled)")


def is_map_style(made):
    return hasattr(made, "__getitem__") and hasattr(made, "__len__")


def not_empty(name, dataset):
    if len(dataset) == 0:
        sys.exit(f"{name}: the dataset is empty")
    return dataset


def has_own_workers(made, depth=3):
    """Whether there is a DataLoader with workers inside, as WebDataset's WebLoader has one: workers
    of ours could not start those."""
    if isinstance(made, torch.utils.data.DataLoader):
        return made.num_workers > 0
    if depth == 0:
        return False
    if isinstance(made, (list, tuple)):
        return any(has_own_workers(one, depth - 1) for one in made)
    return any(has_own_workers(one, depth - 1) for one in getattr(made, "__dict__", {}).values())


def opaque(made):
    return Source(None, opaque=made, told=[
        "an iterator of batches, whose own threads or processes are not told apart: its rate, and "
        "what its samples cost all of them"])


def source_of(name, made):
    """Of what `name` led to: a thing to measure, or a function that yields it."""
    if isinstance(made, torch.utils.data.DataLoader):
        return of_data_loader(made)
    if inspect.isfunction(made):
        return opaque(Called(made))
    if isinstance(made, torch.utils.data.IterableDataset):
        if has_own_workers(made):
            return opaque(made)
        told = ["an iterable dataset: each worker goes round it by itself (/loader/kind: pytorch-iterable)"]
        return Source(Flowing(made), told=told)
    if is_map_style(made):
        return Source(not_empty(name, made))
    if hasattr(made, "__iter__"):
        return opaque(made)
    return sys.exit(f"{name}: expected a dataset, an iterable dataset, a DataLoader or an iterator of "
                    f"batches, got {type(made)}")


def of_data_loader(loader):
    """Its dataset, batch size and collate function; its own workers are not what is measured."""
    given = loader.dataset
    if isinstance(given, torch.utils.data.IterableDataset) and has_own_workers(given):
        return opaque(loader)
    told = []
    if not getattr(loader, "in_order", True):
        told.append("its batches come in any order (in_order=False)")
    flows = isinstance(given, torch.utils.data.IterableDataset)
    more = {"started": loader.worker_init_fn, "context": loader.multiprocessing_context}
    counts = "measured with other counts of workers"
    if loader.batch_size is not None:
        told.append(f"a DataLoader of batches of {loader.batch_size}, {counts}")
        dataset = Flowing(given) if flows else Picked(given, loader.sampler)
        return Source(dataset, loader.collate_fn, loader.batch_size, told=told, **more)
    if loader.batch_sampler is not None and not flows:
        batch = len(next(iter(loader.batch_sampler)))
        told.append(f"a DataLoader whose sampler makes batches of {batch}, {counts}")
        dataset = Picked(given, itertools.chain.from_iterable(loader.batch_sampler))
        return Source(dataset, loader.collate_fn, batch, told=told, **more)
    dataset = Flowing(given) if flows else Picked(given, loader.sampler)
    source = Source(dataset, loader.collate_fn, None, 1, told=told, **more)
    source.start_here()
    source.own_batches = samples_in(loader.collate_fn(dataset[0]))
    told = f"a DataLoader whose dataset makes batches, of {source.own_batches} samples, {counts}"
    source.told.append(told)
    return source
