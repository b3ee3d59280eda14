"""Shardscope's memory and parallelism model: what one GPU holds when training is split over many.

Glossary, used in every file of this package:

P        parameters of the model
dp       data-parallel degree: how many replicas of the model share the batch
tp       tensor-parallel degree: how many GPUs share each layer
pp       pipeline-parallel degree: how many stages the stack of layers is cut into
cp, ep   context- and expert-parallel degree
vpp      virtual stages: how many separate runs of layers one pipeline rank holds
zero     what the replicas shard: 0 nothing, 1 optimizer state, 2 + gradients, 3 + weights
rank     one GPU's place in the layout
stage    one piece of the pipeline (a ZeRO stage is always written ``zero``)
states   weights, gradients and optimizer state: what is kept whatever the batch
replicas  the group of ranks that hold copies of the same weights, dp x cp of them

Quantities end in their unit: ``_bytes``, ``_gb`` (1e9 bytes), ``_gib`` (2**30 bytes).
Only the standard library is used, and nothing here reads files, prints or formats for a page.
"""

__version__ = "0.1.0"
