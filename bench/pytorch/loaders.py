"""What --loader may name besides a dataset with __getitem__: an iterable dataset, a DataLoader, any
iterator of batches, or a function that makes one of them.

An iterable dataset is measured through an index: each worker goes round an iterator of its own, as
torch's own workers do, so that a dataset that asks which worker it is in divides its files.
"""
import sys

import torch.utils.data


class Flowing(torch.utils.data.Dataset):
    """An iterable as a dataset whose next sample is at every index; begun anew where it ends."""

    def __init__(self, iterable):
        self.iterable = iterable
        self.flow = None

    def __len__(self):
        return 1 << 30

    def __getitem__(self, _):
        for _ in range(2):
            if self.flow is None:
                self.flow = iter(self.iterable)
            try:
                return next(self.flow)
            except StopIteration:
                self.flow = None
        sys.exit("the iterable ends before its first sample" +
                 (" in one of the workers" if torch.utils.data.get_worker_info() else ""))

    def __getstate__(self):
        return {"iterable": self.iterable, "flow": None}


class Source:
    """What is measured. `own_batches`: each item of the dataset is a batch of so many samples; 0:
    samples are collated. `opaque`: batches come from threads or processes that are not torch's."""

    def __init__(self, dataset, collate=None, batch=None, own_batches=0, opaque=None, told=()):
        self.dataset = dataset
        self.collate = collate or (torch.utils.data.default_convert if own_batches
                                   else torch.utils.data.default_collate)
        self.batch = batch
        self.own_batches = own_batches
        self.opaque = opaque
        self.told = list(told)

    @property
    def each(self):
        """Samples of an item."""
        return max(self.own_batches, 1)

    def loader(self, dataset, batch, workers, collate=None):
        """A DataLoader of `batch` items; of one that is a batch already."""
        return torch.utils.data.DataLoader(
            dataset, batch_size=None if self.own_batches else batch, num_workers=workers,
            collate_fn=collate or self.collate)


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


def source_of(name, made):
    """Of what `name` led to."""
    if isinstance(made, torch.utils.data.DataLoader):
        return of_data_loader(made)
    if isinstance(made, torch.utils.data.IterableDataset):
        told = ["an iterable dataset: each worker goes round it by itself (/loader/kind: pytorch-iterable)"]
        return Source(Flowing(made), told=told)
    if is_map_style(made):
        if len(made) == 0:
            sys.exit(f"{name}: the dataset is empty")
        return Source(made)
    if hasattr(made, "__iter__"):
        told = ["an iterator of batches, whose own threads or processes are not told apart: its rate, and "
                "what its samples cost all of them"]
        return Source(None, opaque=made, told=told)
    return sys.exit(f"{name}: expected a dataset, an iterable dataset, a DataLoader or an iterator of "
                    f"batches, got {type(made)}")


def of_data_loader(loader):
    """Its dataset, batch size and collate function; its own workers are not what is measured."""
    given = loader.dataset
    told = []
    if not getattr(loader, "in_order", True):
        told.append("its batches come in any order (in_order=False)")
    dataset = given if is_map_style(given) and not isinstance(
        given, torch.utils.data.IterableDataset) else Flowing(given)
    if loader.batch_size is not None:
        told.append(f"a DataLoader of batches of {loader.batch_size}, measured with other counts of workers")
        return Source(dataset, loader.collate_fn, loader.batch_size, told=told)
    if loader.batch_sampler is not None and not isinstance(dataset, Flowing):
        batch = len(next(iter(loader.batch_sampler)))
        told.append(f"a DataLoader whose sampler makes batches of {batch}, measured with other counts of workers")
        return Source(dataset, loader.collate_fn, batch, told=told)
    many = samples_in(dataset[0])
    told.append(f"a DataLoader whose dataset makes batches, of {many} samples, measured with other counts of workers")
    return Source(dataset, loader.collate_fn, None, many, told=told)
