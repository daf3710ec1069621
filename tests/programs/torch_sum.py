"""The ranks of a group add up rank + 1, and each writes down what it knows.

Arguments: the folder to write to, and how the ranks meet: ``env``, or ``hbox`` with
what Hbox's programs read.
"""

import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist

folder, way = sys.argv[1:]
if way == "hbox":
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", init_method=os.environ["INIT_METHOD"], rank=rank, world_size=size)
else:
    dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(total)
record = {"rank": dist.get_rank(), "size": dist.get_world_size(), "sum": total.item(), "env": {**os.environ}}
dist.destroy_process_group()
Path(folder).mkdir(exist_ok=True)
(Path(folder) / f"{record['rank']}.json").write_text(json.dumps(record))
