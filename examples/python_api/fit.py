"""Fit y = a x + b to a line with noise, by gradient descent; the last line printed is the loss."""

import argparse
import math
import random
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, required=True)
parser.add_argument("--steps", type=int, default=200)
args = parser.parse_args()

source = random.Random(1)
points = [(x / 50, 3 * x / 50 + 1 + source.gauss(0, 0.1)) for x in range(100)]
slope = intercept = loss = 0.0
for step in range(args.steps):
    errors = [(slope * x + intercept - y, x) for x, y in points]
    loss = sum(error * error for error, _ in errors) / len(points)
    if not math.isfinite(loss) or loss > 1e12:
        sys.exit(f"diverged after {step} steps")
    slope -= args.rate * 2 * sum(error * x for error, x in errors) / len(points)
    intercept -= args.rate * 2 * sum(error for error, _ in errors) / len(points)
    print(f"reporter progress:{step / args.steps:.2f}", file=sys.stderr)
print(f"{loss:.6f}")
