"""What a disk may hold after the power was cut: from the log of shim.c.

Before the cut, writes that were not followed by a sync of their file may be there or not, each for itself, whole or torn at
multiples of 512 bytes. Names (new files, renames, links) are there in their order up to some moment behind the last sync
of the directory, as with the journals of ext4, XFS and Btrfs.
"""
import bisect
import random
import struct

SECTOR = 512


class Op:
    def __init__(self, kind, file, offset, data):
        self.kind, self.file, self.offset, self.data = kind, file, offset, data

    def names(self):
        return [part.decode() for part in self.data.split(b"\0")]


def read_log(path):
    with open(path, "rb") as file:
        data = file.read()
    ops, at = [], 0
    while at < len(data):
        end = data.index(b"\n", at)
        kind, number, offset, size = data[at:end].split()
        at = end + 1 + int(size)
        ops.append(Op(kind.decode(), int(number), int(offset), data[end + 1:at]))
    return ops


def apply_write(content, offset, data):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def torn(op, dice):
    """Parts of a write, sector by sector."""
    first = op.offset // SECTOR * SECTOR
    for begin in range(first, op.offset + len(op.data), SECTOR):
        if dice.random() < 0.5:
            a, b = max(begin, op.offset), min(begin + SECTOR, op.offset + len(op.data))
            yield a, op.data[a - op.offset:b - op.offset]


def file_content(ops, file, mode, dice):
    """The bytes of a file after these operations and a cut."""
    mine = [op for op in ops if op.file == file and op.kind in "wts"]
    safe = max((i for i, op in enumerate(mine) if op.kind == "s"), default=-1)
    content = bytearray()
    for i, op in enumerate(mine):
        kept = i < safe or mode == "all" or (mode in ("some", "torn") and dice.random() < 0.5)
        if op.kind == "w" and kept:
            apply_write(content, op.offset, op.data)
        elif op.kind == "w" and mode == "torn" and dice.random() < 0.5:
            for offset, data in torn(op, dice):
                apply_write(content, offset, data)
        elif op.kind == "t" and kept:
            del content[op.offset:]
            content.extend(bytes(op.offset - len(content)))
    return bytes(content)


def names_after(ops, mode, dice):
    """Names and the numbers of their files."""
    changes = [(i, op) for i, op in enumerate(ops) if op.kind in "orlud"]
    safe = max((i for i, (_, op) in enumerate(changes) if op.kind == "d"), default=-1)
    stop = len(changes) if mode == "all" else safe + 1 if mode == "none" else dice.randint(safe + 1, len(changes))
    names = {}
    for _, op in changes[:stop]:
        if op.kind == "o":
            names[op.data.decode()] = op.file
        elif op.kind == "u":
            names.pop(op.data.decode(), None)
        elif op.kind in "rl":
            a, b = op.names()
            if a in names:
                names[b] = names[a]
                if op.kind == "r":
                    del names[a]
    return names


def cut(ops, count, mode, seed):
    """Files by name after the first `count` operations. Modes: all (as after a kill), none (nothing but what was synced),
    some, torn."""
    dice = random.Random(seed)
    before = ops[:count]
    names = names_after(before, mode, dice)
    contents = {file: file_content(before, file, mode, random.Random(f"{seed} {file}")) for file in set(names.values())}
    return {name: contents[file] for name, file in names.items()}


class Checkpoints:
    """The checkpoints of a run: when each got its name, when that name was on the disk, and its frames. Found in one pass over the log,
    which has thousands of them, not in one for each cut."""

    def __init__(self, ops, name):
        self.named, self.synced, self.frames = [], [], []
        names, mine = {}, {}
        for i, op in enumerate(ops):
            if op.kind == "o":
                names[op.data.decode()] = op.file
            elif op.kind in "wts":
                mine.setdefault(op.file, []).append(op)
            elif op.kind == "r":
                a, b = op.names()
                if a in names:
                    names[b] = names.pop(a)
                if b == name:
                    content = file_content(mine.get(names[b], []), names[b], "all", random.Random(0))
                    self.named.append(i)
                    self.frames.append(frames_of(content))
            elif op.kind == "d":
                self.synced += [i] * (len(self.named) - len(self.synced))

    def safe_frames(self, count):
        """Frames of the last checkpoint whose name is on the disk after `count` operations: what a cut must leave."""
        n = bisect.bisect_left(self.synced, count)
        return self.frames[n - 1] if n else 0

    def frames_before_the_last(self, count):
        """Frames of the last checkpoint but one that got its name, on the disk or not."""
        n = bisect.bisect_left(self.named, count)
        return self.frames[n - 2] if n > 1 else 0


def frames_of(content):
    """The number of frames that a checkpoint speaks of: see checkpoint_file.c and sim/checkpoint.c."""
    structure, probes, _ = struct.unpack_from("<3Q", content, 16)
    return struct.unpack_from("<Q", content, 56 + structure + probes + 32)[0]
