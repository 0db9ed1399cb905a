"""The device that a script works on (--device), shared by the scripts that may work on a GPU."""
import sys

import torch


def refuse(program, words):
    """One line, and the exit status of wrong input."""
    print(f"{program}: {words}", file=sys.stderr)
    sys.exit(2)


def no_gpu():
    """Why PyTorch cannot use a GPU here; "" when it can."""
    if torch.cuda.is_available():
        return ""
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} was built without CUDA"
    return f"PyTorch {torch.__version__} (CUDA {torch.version.cuda}) finds no GPU"


def chosen(program, name, hint=" (--device cpu rehearses without a GPU)"):
    """torch.device of "cuda", "cuda:1" or "cpu"; ends the program where it is not there."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cuda", "cpu"):
        refuse(program, f"--device: expected cuda, cuda:1 or cpu, got {name!r}")
    if device.type == "cpu":
        return device
    if no_gpu():
        refuse(program, f"--device {name}: {no_gpu()}{hint}")
    if (device.index or 0) >= torch.cuda.device_count():
        refuse(program, f"--device {name}: there are {torch.cuda.device_count()} GPUs, counted from 0")
    return torch.device("cuda", device.index or 0)


def start(device):
    """CUDA's context, as a training program has it before it makes its loader."""
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.zeros(1, device=device)
        torch.cuda.synchronize(device)


def finish(device):
    """Waits until the device has done all that it was told."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def no_memory(error):
    """Whether a RuntimeError says that the GPU's memory does not suffice."""
    known = getattr(torch.cuda, "OutOfMemoryError", ())  # PyTorch 1.13 and later
    return isinstance(error, known) or "out of memory" in str(error)


def described(device):
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, CUDA {torch.version.cuda}"
    return "no GPU: a rehearsal on the CPU"
