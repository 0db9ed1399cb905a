"""Datasets to measure with, shared by the scripts beside it.

Run as a program it writes the images that both generate:  python3 samples.py DIRECTORY COUNT
"""
import importlib
import inspect
import os
import sys

try:
    import torch
    import torch.utils.data
except ImportError:
    sys.exit("PyTorch is not installed for this python (Debian: apt-get install python3-torch "
             "python3-torchvision; choose another with --python)")

import loaders


class Images(torch.utils.data.Dataset):
    """JPEG files as a classification loader reads them: crop, flip, to a normalized tensor."""

    def __init__(self, files, side=224):
        from PIL import Image
        from torchvision import transforms
        self.files = files
        self.open = Image.open
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(side), transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])

    def __len__(self):
        return len(self.files)

    def mean_pixels(self, count):
        """Of the first `count` images, as their headers say."""
        total = 0
        for file in self.files[:count]:
            with self.open(file) as image:
                total += image.width * image.height
        return total / len(self.files[:count])

    def __getitem__(self, index):
        with self.open(self.files[index]) as image:
            return self.transform(image.convert("RGB")), 0


def image_files(directory):
    found = []
    for folder, _, names in sorted(os.walk(directory)):
        found += [os.path.join(folder, n) for n in sorted(names)
                  if n.lower().endswith((".jpg", ".jpeg"))]
    if not found:
        sys.exit(f"{directory}: expected JPEG files, found none")
    return found


def generated_images(directory, count, width=500, height=375, noise=27):
    """Photograph-like JPEGs of about 110 KB: smooth shapes with noise on them."""
    import numpy
    from PIL import Image
    random = numpy.random.default_rng(1)
    for i in range(count):
        coarse = random.integers(0, 256, (height // 25, width // 25, 3), dtype=numpy.uint8)
        smooth = numpy.asarray(Image.fromarray(coarse).resize((width, height), Image.BICUBIC))
        noisy = smooth.astype(numpy.int16) + random.normal(0, noise, smooth.shape).astype(numpy.int16)
        Image.fromarray(noisy.clip(0, 255).astype(numpy.uint8)).save(
            os.path.join(directory, f"{i:05d}.jpg"), quality=88)


def made_by(name):
    """MODULE:NAME: what it is, or what it makes when called."""
    module_name, _, attribute = name.partition(":")
    if not attribute:
        sys.exit(f"expected MODULE:NAME, got {name!r}")
    sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        sys.exit(f"cannot import {module_name!r}: {error}")
    if not hasattr(module, attribute):
        sys.exit(f"module {module_name!r} has no {attribute!r}")
    made = getattr(module, attribute)
    if inspect.isgeneratorfunction(made):
        return made  # called again for each turn
    if isinstance(made, type) or callable(made) and not (hasattr(made, "__getitem__") or
                                                         hasattr(made, "__iter__")):
        made = made()
    return made


def add_arguments(parser):
    """What `chosen` reads."""
    parser.add_argument("dataset", nargs="?",
                        help="MODULE:NAME; a dataset, a DataLoader, an iterator of batches, or what makes one")
    parser.add_argument("--data", help="instead: a folder of JPEG files, read as for classification")


def chosen(arguments, scratch, count, side=224):
    """The user's dataset, the user's images, or `count` generated ones in `scratch`; images become
    squares of `side` pixels."""
    if arguments.dataset:
        made = made_by(arguments.dataset)
        if not loaders.is_map_style(made):
            sys.exit(f"{arguments.dataset}: expected a dataset with __getitem__ and __len__, got {type(made)}")
        return loaders.not_empty(arguments.dataset, made)
    if not arguments.data:
        generated_images(scratch, count)
    return Images(image_files(arguments.data or scratch), side)


class Cycled(torch.utils.data.Dataset):
    """As many samples as are wanted, by going round a dataset."""

    def __init__(self, dataset, length):
        self.dataset = dataset
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.dataset[index % len(self.dataset)]


def tensors_of(batch):
    """All tensors in a batch."""
    if isinstance(batch, torch.Tensor):
        return [batch]
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        return [tensor for value in batch for tensor in tensors_of(value)]
    return []


def bytes_of(batch):
    """Bytes of all tensors in a batch."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors_of(batch))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    generated_images(sys.argv[1], int(sys.argv[2]))
