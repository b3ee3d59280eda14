"""Measure what PyTorch really holds, sends and waits for, and hold the model to it.

`python -m scripts.measure --help` lists the commands. Needs torch and numpy (scripts/measure/requirements.txt) and Python 3.11 or
newer; imports `model`, and nothing of the site. Only the modules in `kinds` import torch, and only while they run: what
plans, collects and compares works without it.
"""
